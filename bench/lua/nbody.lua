-- SPDX-License-Identifier: MIT
-- group: plain
-- quick: 50000
--
-- N-body: the sun and the four giant planets, by symplectic integration.
-- Float arithmetic on fields of a few tables.
-- Argument: number of time steps.

local steps = tonumber(arg and arg[1]) or 500000
local sqrt = math.sqrt

local sun_mass = 4 * math.pi ^ 2
local year = 365.24

-- Astronomical units, years and solar masses; the data has motion per day.
local function body(x, y, z, vx, vy, vz, mass)
  return { x = x, y = y, z = z, vx = vx * year, vy = vy * year,
           vz = vz * year, mass = mass * sun_mass }
end

local sun = body(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
local bodies = {
  sun,
  body(4.84143144246472090, -1.16032004402742839, -0.103622044471123109,
       0.00166007664274403694, 0.00769901118419740425,
       -0.0000690460016972063023, 0.000954791938424326609),
  body(8.34336671824457987, 4.12479856412430479, -0.403523417114321381,
       -0.00276742510726411160, 0.00499852801234917238,
       0.0000230417297573763929, 0.000285885980666130812),
  body(12.8943695621391310, -15.1111514016986312, -0.223307578892655734,
       0.00296460137564761618, 0.00237847173959480950,
       -0.0000296589568540237556, 0.0000436624404335156298),
  body(15.3796971148509165, -25.9193146099879641, 0.179258772950371181,
       0.00268067772490389322, 0.00162824170038242295,
       -0.0000951592254519715870, 0.0000515138902046611451),
}

-- The sun gets the opposite momentum, so that the whole system is at rest.
local function balance()
  local px, py, pz = 0.0, 0.0, 0.0
  for _, b in ipairs(bodies) do
    px, py, pz = px + b.vx * b.mass, py + b.vy * b.mass, pz + b.vz * b.mass
  end
  sun.vx, sun.vy, sun.vz = -px / sun.mass, -py / sun.mass, -pz / sun.mass
end

local function energy()
  local sum = 0.0
  for i = 1, #bodies do
    local a = bodies[i]
    sum = sum + 0.5 * a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz)
    for k = i + 1, #bodies do
      local b = bodies[k]
      local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
      sum = sum - a.mass * b.mass / sqrt(dx * dx + dy * dy + dz * dz)
    end
  end
  return sum
end

local function advance(dt)
  local count = #bodies
  for i = 1, count do
    local a = bodies[i]
    local ax, ay, az, amass = a.x, a.y, a.z, a.mass
    local vx, vy, vz = a.vx, a.vy, a.vz
    for k = i + 1, count do
      local b = bodies[k]
      local dx, dy, dz = ax - b.x, ay - b.y, az - b.z
      local square = dx * dx + dy * dy + dz * dz
      local pull = dt / (square * sqrt(square))
      local toward_b, toward_a = b.mass * pull, amass * pull
      vx, vy, vz = vx - dx * toward_b, vy - dy * toward_b, vz - dz * toward_b
      b.vx = b.vx + dx * toward_a
      b.vy = b.vy + dy * toward_a
      b.vz = b.vz + dz * toward_a
    end
    a.vx, a.vy, a.vz = vx, vy, vz
    a.x, a.y, a.z = ax + dt * vx, ay + dt * vy, az + dt * vz
  end
end

balance()
local before = energy()
for _ = 1, steps do advance(0.01) end
print(string.format("checksum %.9f %.7f", before, energy()))
