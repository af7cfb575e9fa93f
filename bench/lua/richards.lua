-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 34
--
-- Richards: a simulation of the kernel of a small operating system.  Tasks of
-- different priorities pass packets to each other; the scheduler runs a task
-- that is ready.  Method calls of many classes and changes of small objects.
-- The program checks the number of packets queued and of tasks held.
-- Argument: number of repetitions.

local repetitions = tonumber(arg and arg[1]) or 340
local idle_count = 1000
local expected_queued, expected_held = 2322, 928

local IDLE, WORKER, HANDLER_A, HANDLER_B, DEVICE_A, DEVICE_B = 1, 2, 3, 4, 5, 6
local FOR_DEVICE, FOR_WORK = 1, 2
local BYTES = 4

local function append(packet, list)
  packet.link = nil
  if not list then return packet end
  local last = list
  while last.link do last = last.link end
  last.link = packet
  return list
end

local function new_packet(link, to, kind)
  return { link = link, to = to, kind = kind, position = 1, data = {} }
end

-- Tasks ----------------------------------------------------------------------

local Task = {}
Task.__index = Task

function Task.new(kernel, id, priority, queue, behavior)
  local task = setmetatable({
    id = id, priority = priority, queue = queue, behavior = behavior,
    pending = queue ~= nil, waiting = true, held = false,
    link = kernel.list,
  }, Task)
  kernel.list, kernel.tasks[id] = task, task
  return task
end

function Task:may_run()
  return not self.held and (self.pending or not self.waiting)
end

-- Runs with the next packet if the task waited for one.
function Task:run(kernel)
  local packet
  if self.waiting then
    packet = self.queue
    self.queue = packet.link
    self.waiting, self.pending = false, self.queue ~= nil
  end
  return self.behavior:run(kernel, packet)
end

-- Takes a packet.  Returns the task that continues: the receiver or the sender.
function Task:receive(packet, sender)
  if self.queue then
    append(packet, self.queue)
  else
    self.queue, self.pending = packet, true
    if self.priority > sender.priority then return self end
  end
  return sender
end

-- The kernel: each service returns the task to look at next. -----------------

local Kernel = {}
Kernel.__index = Kernel

function Kernel.new()
  return setmetatable({ list = nil, tasks = {}, current = nil, queued = 0,
                        held = 0 }, Kernel)
end

function Kernel:send(packet)
  local receiver = self.tasks[packet.to]
  self.queued = self.queued + 1
  packet.link, packet.to = nil, self.current.id
  return receiver:receive(packet, self.current)
end

function Kernel:release(id)
  local task = self.tasks[id]
  task.held = false
  return task.priority > self.current.priority and task or self.current
end

function Kernel:hold()
  self.held = self.held + 1
  self.current.held = true
  return self.current.link
end

function Kernel:wait()
  self.current.waiting = true
  return self.current
end

function Kernel:schedule()
  local task = self.list
  while task do
    if task:may_run() then
      self.current = task
      task = task:run(self)
    else
      task = task.link
    end
  end
end

-- What the tasks do ----------------------------------------------------------

-- Toggles a bit of a number below 2^16; 5.1 has no operator for it.
local function toggle(value, bit)
  if value % (2 * bit) >= bit then return value - bit end
  return value + bit
end

-- Lets one device or the other continue, as a shift register decides.
local Idle = {}
Idle.__index = Idle

function Idle:run(kernel)
  self.count = self.count - 1
  if self.count == 0 then return kernel:hold() end
  local odd = self.register % 2 == 1
  self.register = (self.register - self.register % 2) / 2
  if not odd then return kernel:release(DEVICE_A) end
  local register = toggle(self.register, 0x8000)
  register = toggle(toggle(register, 0x4000), 0x1000)
  self.register = toggle(register, 8)
  return kernel:release(DEVICE_B)
end

-- Fills packets with letters and sends them to the handlers in turn.
local Worker = {}
Worker.__index = Worker

function Worker:run(kernel, packet)
  if not packet then return kernel:wait() end
  self.to = self.to == HANDLER_A and HANDLER_B or HANDLER_A
  packet.to, packet.position = self.to, 1
  for i = 1, BYTES do
    self.letter = self.letter % 26 + 1
    packet.data[i] = self.letter
  end
  return kernel:send(packet)
end

-- Passes the bytes of work packets to a device, one device packet for each.
local Handler = {}
Handler.__index = Handler

function Handler:run(kernel, packet)
  if packet then
    if packet.kind == FOR_WORK then
      self.work = append(packet, self.work)
    else
      self.free = append(packet, self.free)
    end
  end
  local work = self.work
  if not work then return kernel:wait() end
  if work.position > BYTES then
    self.work = work.link
    return kernel:send(work)
  end
  local carrier = self.free
  if not carrier then return kernel:wait() end
  self.free = carrier.link
  carrier.position = work.data[work.position]
  work.position = work.position + 1
  return kernel:send(carrier)
end

-- Takes a packet, is held for a while, sends the packet back.
local Device = {}
Device.__index = Device

function Device:run(kernel, packet)
  if packet then
    self.packet = packet
    return kernel:hold()
  end
  local done = self.packet
  if not done then return kernel:wait() end
  self.packet = nil
  return kernel:send(done)
end

-- One run --------------------------------------------------------------------

local function packets(count, to, kind)
  local list
  for _ = 1, count do list = new_packet(list, to, kind) end
  return list
end

local function add(kernel, id, priority, queue, class, state)
  return Task.new(kernel, id, priority, queue, setmetatable(state, class))
end

local function simulate()
  local kernel = Kernel.new()
  local idle = add(kernel, IDLE, 0, nil, Idle,
                   { register = 1, count = idle_count })
  idle.waiting = false
  add(kernel, WORKER, 1000, packets(2, WORKER, FOR_WORK), Worker,
      { to = HANDLER_A, letter = 0 })
  add(kernel, HANDLER_A, 2000, packets(3, DEVICE_A, FOR_DEVICE), Handler, {})
  add(kernel, HANDLER_B, 3000, packets(3, DEVICE_B, FOR_DEVICE), Handler, {})
  add(kernel, DEVICE_A, 4000, nil, Device, {})
  add(kernel, DEVICE_B, 5000, nil, Device, {})
  kernel:schedule()
  return kernel.queued, kernel.held
end

local queued, held = 0, 0
for _ = 1, repetitions do
  local q, h = simulate()
  assert(q == expected_queued and h == expected_held)
  queued, held = queued + q, held + h
end
print(string.format("checksum %d %d", queued, held))
