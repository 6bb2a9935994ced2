/** What the page says in the same words whatever was measured. */
export const introduction = `<!-- Written by \`npm run bench -- --page\`: it is not edited by hand. -->

# How fast it is

What this service takes of a machine and how long things take, all of it measured by one command that anyone can run. Beside it, in the same run on the
same servers, stands a **bare pipeline** made of the same packages (Koa, kafkajs, node-fetch, the MongoDB driver) with the same three
roles and nothing more: no keys, checks, signatures, retries or guarantees. A figure by itself says as much of the machine as of the service; the
ratio of both says what the service's features cost.`;

export const howToRead = `## How to read it

- A figure is the **median** of the runs; where there were several, the least and the most stand behind it in parentheses.
- **service / bare** is the ratio of both medians. Where there is none, the bare pipeline cannot do the same: it stands still beside a webhook that
  hangs, loses events when it is killed, and has no lists.
- **should be** is the bar that is set for this service on two cores. A figure that misses it is shown like any other.
- **CPU an event** is processor time of all threads in user and kernel mode. _Own processes_ are the roles of the pipeline; _servers_ are Kafka,
  MongoDB and Redis, which it shares with nobody meanwhile; _all together_ is both. The load and the receiver have processes of their own,
  which are not in it, but which do take their part of the same cores.
- **Memory** is what is resident in all own processes together once everything is drained; the peak is the most that each of them ever held, summed up.
- **From due time to receiver** begins when an event was to be posted, not when its sender got to it, and ends when the webhook's server has the whole
  request. Nothing waits unseen.
- **Drained** is when every consumer group has committed all that the topics hold: events are delivered, and in the read models.
- Each event has 0.5 KiB of \`data\`. A pipeline begins with empty topics and an empty database, and is warmed up with 5,000 events before
  anything is measured. The roles of both take memory as those of \`postrider start\` do.`;

export const howToRun = `## How to run it

\`\`\`sh
npm ci
npm run bench -- --quick                       # less than a minute: shows that it works
npm run bench                                  # everything once, in some 45 minutes, tables on the terminal
npm run bench -- --only steady --runs 5        # one scenario, five times
npm run bench -- --runs 3 --page               # this page, its plots and its JSON anew
npm run bench -- --runs 3 --output night.json  # or keep the JSON, and make the page of several later:
npm run bench -- --page --page-from docs/benchmarks/results.json night.json
npm run bench -- --only throughput --profile profiles   # with CPU profiles of every process
\`\`\`

It starts servers of its own and disturbs none that run. The machine should have nothing else to do: what other programs took meanwhile is told at
the end. It reads \`/proc\`, so it runs on Linux. A scenario that fails is reported with its reason, and the others go on. Of a scenario
that stands in several files the last one counts.`;

export const limits = `## What the figures do not say

- **Everything is on one machine**: the load, the receiver, all roles, Kafka, MongoDB and Redis share its cores, and no network lies between them. A real
  deployment has more cores and slower ways.
- **One broker, one replica.** An event is acknowledged by all in-sync replicas, of which there is one here; with three, each acknowledgement waits for the
  slower of two more.
- **The receiver answers at once**, but in \`hungNeighbour\`, \`hungMany\` and \`scaleWaiting\`. A slow one is bounded by its own attempts in flight, 25 for each webhook and process, not by
  this service's speed.
- **One account, one kind of event, live mode.** Many accounts share the same lanes and windows; their fairness is tested, not measured here.
- **Minutes, not days.** Nothing here shows what a week of load does; \`npm run chaos\` shows what outages do.
- \`scale\` adds processes and partitions, not cores: on two cores more processes share what there is, and it shows what that costs.
  \`scaleWaiting\` shows what they bring while there is room: a webhook that answers after 50 ms gets as many deliveries as there are attempts in flight.

Where the time goes, what was tried, and what stands in the way of each bar: [limits.md](limits.md).`;
