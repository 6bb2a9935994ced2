/**
 * Counts permits in Redis, in tenths of a window by the clock of Redis. A window of the limit's length touches at most
 * eleven consecutive tenths, and the script counts the present tenth and the ten before it. So the sum of the permits in
 * any window never exceeds the limit, if each attempt starts in the tenth of its permit.
 *
 * All counts may be lost: Redis was emptied, restarted from a snapshot, or replaced by its replica. The script then finds
 * another run of the server than before, or none. It grants nothing until a full window and a tenth have passed, because
 * the lost counts are then irrelevant.
 *
 * Redis executes a script as one step, and its clock does not advance within a script.
 */
export const permitScript = `
local known, counts = KEYS[1], KEYS[2];
local window, limit, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]);
local tenth = window / 10;
local margin = tenth / 10;

local time = redis.call('TIME');
local now = time[1] * 1000 + math.floor(time[2] / 1000);
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)');
local knownRun, since = unpack(redis.call('HMGET', known, 'run', 'since'));
if knownRun ~= run then
  since = tostring(now);
  redis.call('HSET', known, 'run', run, 'since', since);
end
local complete = tonumber(since) + window + tenth;
if now < complete then
  return {0, complete - now, now};
end

local stored = redis.call('HGETALL', counts);
local byTenth, newest, countedSince = {}, 0, nil;
for index = 1, #stored, 2 do
  if stored[index] == 'since' then
    countedSince = stored[index + 1];
  else
    byTenth[tonumber(stored[index])] = tonumber(stored[index + 1]);
    newest = math.max(newest, tonumber(stored[index]));
  end
end
-- Counts of before the wait may have times that have not come yet.
if countedSince and countedSince ~= since then
  redis.call('DEL', counts);
  byTenth, newest = {}, 0;
end

-- A clock that steps back must not free a permit.
local present = math.max(math.floor(now / tenth), newest);
local left = (present + 1) * tenth - now - margin;
local sum = 0;
for number, count in pairs(byTenth) do
  if number < present - 10 then
    redis.call('HDEL', counts, number);
  else
    sum = sum + count;
  end
end
if sum < limit and left < 5 then
  return {0, left + margin, now};
end
local granted = math.max(0, math.min(wanted, limit - sum));
if granted > 0 then
  redis.call('HINCRBY', counts, present, granted);
  redis.call('HSET', counts, 'since', since);
  redis.call('PEXPIRE', counts, 2 * window);
  return {granted, left, now};
end

-- The first tenth after which the sum is below the limit leaves the sum eleven tenths after its begin.
local number = present - 10;
sum = sum - (byTenth[number] or 0);
while sum >= limit and number < present do
  number = number + 1;
  sum = sum - (byTenth[number] or 0);
end
return {0, (number + 11) * tenth - now, now};
`;
