-- SPDX-License-Identifier: MIT
--
-- Two million small objects: tables of two fields in short lists; a node of a
-- tree holds each list.  The program makes garbage and sometimes replaces a
-- list by a new one.

local meter = dofile((arg[0]:gsub("[^/]*$", "")) .. "meter.lua")

local per_list = 20
local groups = meter.scaled(1000)
local lists = 100

local function make_list()
  local head
  for i = 1, per_list do head = { value = i, next = head } end
  return head
end

local root = {}
for g = 1, groups do
  local group = {}
  for i = 1, lists do group[i] = make_list() end
  root[g] = group
end

meter.run(function(n)
  meter.litter(150)
  root[meter.random(groups)][meter.random(lists)] = make_list()
end)
