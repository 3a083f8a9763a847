# Makes the rows of the table of algorithms that are scripts, from the scripts:
# awk -f shelf.awk lessons/algorithms/*.lua.  A script without a head is none.
#
# Its head is in comments, KEY: TEXT, in which a longer text goes on in lines that
# begin with more spaces; the keys are those below.  Its name and collective are
# the title and the collective of its promise.
function say(member, value) { row = row "     ." member " = " value ",\n" }
function quoted(text) { gsub(/[\\"]/, "\\\\&", text); return "\"" text "\"" }
function end_key() {
    if (key == "idea" || key == "when") say(key, "N_(" quoted(text) ")")
    else if (key == "steps" || key == "bytes") say("formulas." key, quoted(text))
    else if (key ~ /^other-/) say("otherwise." substr(key, 7), quoted(text))
    else if (key == "holds") say(key, "HOLDS_" toupper(text))
    else if (key == "alias") say("aliases", "{\"" text "\"}")
    else if (key == "adds") say("differ", "true")
    else if (key ~ /^(nccl|mpi|source)$/) say(key, quoted(text))
    has = has " " key
    key = ""
}
function member(name,   parts) {
    if (!match($0, "(^|[ {])" name " = \"[^\"]*\"")) return
    split(substr($0, RSTART, RLENGTH), parts, "\"")
    return parts[2]
}
function end_row() {
    end_key()
    if (has ~ / source/)
        printf "    {.script = %s, .name = N_(%s),\n     .collective = %s,\n%s%s    },\n",
            quoted(script), quoted(title), quoted(collective),
            topology == "" ? "" : "     .topology = TOPOLOGY_" toupper(topology) ",\n", row
    has = row = title = collective = topology = ""
}
BEGIN { print "static const struct algorithm on_shelf[] = {" }
FNR == 1 { end_row(); script = FILENAME; sub(/.*\//, "", script) }
/^--   / && key != "" { sub(/^-- +/, ""); text = text " " $0; next }
{ end_key() }
/^-- [a-z-]+: / { key = substr($2, 1, length($2) - 1); sub(/^-- [a-z-]+: */, ""); text = $0 }
member("collective") != "" { collective = member("collective") }
member("title") != "" { title = member("title") }
member("topology") != "" { topology = member("topology") }
match($0, /pipeline = [0-9]+/) { say("chunks", substr($0, RSTART + 11, RLENGTH - 11)) }
END { end_row(); print "};" }
