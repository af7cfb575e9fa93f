---@meta penumbra.gc

-- Definitions for the Lua language server. docs/gc-library.md has the whole
-- story; tests/product/editors compares this file with what the library holds.

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
---@field goal integer what `bytes` and `external` should be at the end of the cycle
---@field limit integer the bound, or 0
---@field target integer the soft target, or 0
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
---@field wait number the longest time that the program waited
---@field cause string what it waited for: `"automatic step"`, `"whole collection"` ...
---@field waits table<string, number> the longest time for each cause

---@class penumbra.gc.event
---@field type penumbra.gc.event_type
---@field phase string
---@field minor boolean the cycle is a minor one
---@field bytes integer in use; of `"large"`, the size of the object
---@field work? integer of `"step"` and `"collect"`
---@field time? number of `"step"` and `"collect"`
---@field cause? string of `"step"` and `"collect"`
---@field at number when it was told
---@field cpu number likewise, in time of the processor

---@class penumbra.gc.told
---@field time number microseconds that the call took
---@field work integer units of work done
---@field left integer units left until the cycle ends, judged by the last one
---@field finalizers integer that wait
---@field allocated integer bytes since the call before
---@field room integer bytes until the heap meets its goal
---@field ended boolean a cycle has ended
---@field keeps_up boolean with as much work for the bytes allocated, the cycle ends in time

---@class penumbra.gc.snapshot_result
---@field nodes integer
---@field edges integer
---@field bytes integer of all objects
---@field moved integer objects that were moved or dropped meanwhile

---@class penumbra.gc.kept
---@field size integer of the object, with its parts
---@field retained integer bytes that would be free without it
---@field dominator? string the last object on the path without which it would be dead

---@class penumbra.gc.count
---@field count integer
---@field bytes integer

---@class penumbra.gc.census
---@field types table<string, penumbra.gc.count>
---@field names table<string, penumbra.gc.count>
---@field sizes table<string, penumbra.gc.count>

---@class penumbra.gc.change
---@field name string
---@field count integer
---@field bytes integer

---Lets the collector work for about `time` microseconds (1000 if none is given),
---or until its cycle ends. Finalizers that are due are called while there is time.
---While no cycle is under way or due, it only returns unused memory. A table gets fields that tell how it went.
---@param time? number
---@param table? table | penumbra.gc.told
---@return boolean done nothing is left to do
function gc.step(time, table) end

---A bound on what the collector's own steps take between two calls of `gc.step`,
---in microseconds; 0 is none.
---@param time? number
---@return integer before
function gc.frame(time) end

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

---A soft target for memory; 0 is none. `f` is called when what is live is more.
---@param bytes? integer
---@param f? fun(live: integer)
---@return integer before
function gc.target(bytes, f) end

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
---what was measured until then, nil if nothing was.
---@param on? boolean
---@return penumbra.gc.pauses
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

---Writes all live objects and their references to a file, in the format of
---Chrome's DevTools. Without arguments: what came of the one in steps; false while
---it is under way.
---@param file string
---@param mode? "whole"
---@return penumbra.gc.snapshot_result? result
---@return string? message
---@overload fun(file: string, mode: "steps"): boolean?, string?
---@overload fun(): penumbra.gc.snapshot_result | false | nil, string?
function gc.snapshot(file, mode) end

---Tells why an object is alive: the shortest path from a root, in words.
---@param object any
---@return string? path nil if it is not an object
---@return penumbra.gc.kept | string kept a message if it is not an object
function gc.why(object) end

---Begins to write what the collector does as trace events; without a file, ends
---that.
---@param file? string
---@return boolean? ok
---@return string? message
function gc.trace(file) end

---The next frame, request or turn of a loop begins; shown in the trace.
---@param name string
function gc.mark(name) end

---@class penumbra.gc.leak
---@field name string what one of the objects is called
---@field line string the call and the line that made it
---@field stack string all calls, the outermost first
---@field growth integer bytes that major cycles found more and more of
---@field bytes integer bytes that are alive
---@field count integer objects that are alive
---@field path? string who keeps one of them

---Begins (true) or stops (false) to sample what is allocated, one object of
---every `bytes`. Otherwise: what grows from cycle to cycle, at most so many.
---@param on boolean
---@param bytes? integer
---@overload fun(most?: integer): penumbra.gc.leak[]
function gc.leaks(on, bytes) end

---Begins (true) or stops (false) to record what the collector does. With a file
---name: writes the record so far as JSON; penumbra.page makes a page of it.
---@param what boolean | string
---@param title? string
---@return boolean? ok
---@return string? message
function gc.report(what, title) end

---Counts all live objects: by type, by name, by size.
---@param mode? "whole"
---@return penumbra.gc.census
---@overload fun(mode: "steps"): boolean?, string?
---@overload fun(mode: "result"): penumbra.gc.census | false | nil, string?
function gc.census(mode) end

---What differs between two counts, what has grown most first.
---@param a penumbra.gc.census
---@param b penumbra.gc.census
---@return penumbra.gc.change[]
function gc.diff(a, b) end

---The figures in the text format of Prometheus.
---@return string
function gc.metrics() end

return gc
