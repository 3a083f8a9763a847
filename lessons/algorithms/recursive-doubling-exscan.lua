-- SPDX-License-Identifier: MIT
-- Recursive doubling exclusive scan: GPUs exchange the sum of their group with
-- the one 1, 2, 4, ... away, as in a butterfly.  What comes from a group before
-- its own is a GPU's result, or is added to it.
--
-- idea: ranks exchange their groups' sums, and add up those of the groups before
--   them
-- when: small data: the fewest steps there can be
-- steps: ceil(log2 N)
-- bytes: ceil(log2 N) S
-- mpi: 2 recursive_doubling
-- source: Open MPI, coll_base_exscan.c
algorithm { collective = "exscan", title = "recursive-doubling", scratch = 2 }
local result, group, other = 0, 1, 2 -- chunks, the last two in scratch

if n > 1 then step "begin" end
for r = 0, n - 1 do
  if n > 1 then copy { from = r, to = r, chunk = result, into = group } end
end
local distance = 1
while distance < n do
  step "exchange"
  for r = 0, n - 1 do
    if r ~ distance < n then
      copy { from = r, to = r ~ distance, chunk = group, into = other }
    end
  end
  step "add up"
  for r = 0, n - 1 do
    if r ~ distance < n then
      add { from = r, to = r, chunk = other, into = group }
    end
    if r & distance ~= 0 then
      -- the first one takes the place of its own data
      local first = r & (distance - 1) == 0;
      (first and copy or add) { from = r, to = r, chunk = other, into = result }
    end
  end
  distance = 2 * distance
end
