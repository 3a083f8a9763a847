-- expect: :42: bench: the table has 83 columns
lesson { number = 1, title = "Escape", idea = "out" }
for _, case in ipairs {
  { nil, "bench takes a string" },
  { {}, "bench takes a string" },
  { "", "bench takes from 1 to 4 algorithms" },
  { "ring-allreduce tree-allreduce ring-allgather alltoall reduce",
    "bench takes from 1 to 4 algorithms" },
  { "ring-allfrobnicate", "no algorithm is called 'ring-allfrobnicate'" },
  { "ring.xml -b 8 -e 8", "a lesson runs files of its own folder" },
  { "ring-allreduce -J out.json", "-J belongs on the command line" },
  { "ring-allreduce --output_file=out", "--output_file belongs on the command" },
  { "ring-allreduce --read", "--read belongs on the command line" },
  { "ring-allreduce --backend mpi --launcher sh", "--launcher belongs on the" },
  { "ring-allreduce --native", "--native belongs on the command line" },
  { "ring-allreduce --lang zh_CN", "--lang belongs on the command line" },
  { "ring-allreduce --delay 1=inf", "--delay belongs on the command line" },
  { "ring-allreduce -b", "'-b' needs a value" },
  { "ring-allreduce -b -8", "must be a number of bytes" },
  { "ring-allreduce -b 8 -e 1P", "must be a number of bytes" },
  { "ring-allreduce -b 16 -e 8", "is above --maxbytes" },
  { "ring-allreduce -b 8 -e 16 -i 0", "would never grow" },
  { "ring-allreduce -b 8 -e 8 -g 65", "--gpus 65: a lesson has at most 64" },
  { "ring-allreduce -b 8 -e 8 -g 0", "must be a whole number from 1" },
  { "ring-allreduce -b 8 -e 8 -n 0", "must be a whole number from 1" },
  { "ring-allreduce -b 8 -e 8 -n 2000000000", "no key is heard" },
  { "ring-allreduce -b 8 -e 8 -w 2000000000", "no key is heard" },
  { "ring-allreduce -b 0 -e 0 -g 1 -n 2000000000", "no key is heard" },
  { "ring-allgather -b 8M -e 8M -g 64", "no key is heard" },
  { "naive-allreduce -b 512K -e 512K -g 64", "no key is heard" },
  -- It is the check that takes long.
  { "ring-allreduce -g 64 -b 500K -e 500K -n 1 -w 0 -d uint8", "no key is heard" },
  { "ring-allreduce -b 100K -e 108K -i 1K -n 1300", "the table may take" },
  { "ring-allreduce -b 8 -e 1M -i 1", "more than 15 lines" },
  { "ring-allreduce -b 8 -e 8 -d all -o all", "more than 15 lines" },
  { "ring-allreduce -b 8M -e 8M -n 1", "the table has 82 columns" },
} do
  local done, said = pcall(bench, case[1])
  assert(not done and said:find(case[2], 1, true), said)
end
assert(#bench "ring-allreduce -b 8 -e 8 -n 1" == 1)
bench "ring-allreduce"
