---@meta penumbra.gc

-- Definitions for the Lua language server. docs/gc-library.md has the whole
-- story; tests/editors compares this file with what the library holds.

---Looks into the collector and steers it. Times are microseconds, sizes bytes.
---@class penumbra.gc
local gc = {}

---@alias penumbra.gc.mode "incremental" | "generational"

---@alias penumbra.gc.event_type
---| "cycle begin"
---| "cycle end"
---| "phase" # a phase begins
---| "step" # a step has ended
---| "large" # an object of 64 KB or more was made
---| "emergency" # memory ran out
---| "collect" # a collection in one go has ended

---@class penumbra.gc.stats
---@field bytes integer in objects, now
---@field live integer in those that the last cycle reached
---@field peak integer the most that `bytes` was at the end of a step
---@field footprint integer held from the system for objects
---@field external integer held elsewhere
---@field limit integer the bound, or 0
---@field allocated integer in all so far, not counting what was freed at once
---@field steps integer how many steps there were
---@field cycles integer how many cycles there were
---@field minor_cycles integer how many of them were minor ones
---@field emergencies integer how often memory ran out
---@field work integer units of work done
---@field debt integer units of work that the next step would do now
---@field largest_unit integer the most work done in one piece
---@field largest_step integer the most work done in one step
---@field finalizers_found integer finalizers that were due so far
---@field finalizers_called integer finalizers that were called
---@field finalizers_due integer finalizers that are waiting
---@field phase string of the cycle; `"pause"` between two
---@field mode penumbra.gc.mode
---@field running boolean not stopped

---@class penumbra.gc.collections
---@field count integer
---@field total number
---@field max number

---@class penumbra.gc.bucket
---@field from number
---@field to number
---@field count integer

---@class penumbra.gc.pauses
---@field count integer number of steps
---@field total number the sum of their times
---@field max number the longest
---@field p50 number a time that 50 percent of the steps do not pass
---@field p90 number
---@field p99 number
---@field p999 number 99.9 percent
---@field buckets penumbra.gc.bucket[]
---@field collections penumbra.gc.collections collections in one go

---@class penumbra.gc.event
---@field type penumbra.gc.event_type
---@field phase string
---@field minor boolean the cycle is a minor one
---@field bytes integer in use; of `"large"`, the size of the object
---@field work? integer of `"step"` and `"collect"`
---@field time? number of `"step"` and `"collect"`

---Lets the collector work for about `time` microseconds (1000 if none is given),
---or until its cycle ends. Finalizers that are due are called while there is time.
---@param time? number
---@return boolean done a cycle has ended, and no finalizer is waiting
function gc.step(time) end

---Calls finalizers that are due: at most `count`, and none more once `time`
---microseconds have passed. 0, or nothing, is no bound.
---@param count? integer
---@param time? number
---@return integer called
function gc.finalize(count, time) end

---How many finalizers the collector calls after each of its steps, at most.
---@param perstep? integer
---@return integer before
function gc.finalizers(perstep) end

---The mode of the collector; with a name, the mode before that was chosen.
---@param name? penumbra.gc.mode
---@return penumbra.gc.mode
function gc.mode(name) end

---A bound on all memory of the state; 0 is none.
---@param bytes? integer
---@return integer before
function gc.limit(bytes) end

---Tells the collector that the program holds `bytes` more outside of Lua (less,
---if negative).
---@param bytes? integer
---@return integer sum
function gc.external(bytes) end

---A table of figures, or the given table with these fields set.
---@param table? table
---@return penumbra.gc.stats
function gc.stats(table) end

---Begins or ends measuring how long each step of the collector takes; returns
---what was measured until then.
---@param on? boolean
---@return penumbra.gc.pauses?
function gc.pauses(on) end

---Begins to note what the collector does, in a ring of `size` events (256 if
---none is given); `false` ends that.
---@param size? integer | false
function gc.events(size) end

---The events since the last time, the oldest first, and how many more were lost.
---@return penumbra.gc.event[] events
---@return integer lost
function gc.poll() end

---Calls `f` after each cycle with what `gc.poll` returns; nil ends that.
---@param f? fun(events: penumbra.gc.event[], lost: integer)
function gc.listen(f) end

return gc
