# What a run reports, without what differs from run to run, and from one backend
# to another, or whether the machine is busy.
/^collviz: (waiting( for|: no rank has answered)|the run continues)/d
s/"(begin|end|wait|wall|clock)_ns":-?[0-9]+//g
s/"waited_for":-?[0-9]+//g
s/"(backend|place)":"[^"]*"//g
s/"(devices|rank_devices|cores)":\[[^]]*\]//g
s/"messages":(true|false)//g
s/"places":[0-9]+//g
s/,+/,/g
