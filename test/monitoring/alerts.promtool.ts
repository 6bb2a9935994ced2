import { readFile } from 'node:fs/promises';

import { expect } from 'chai';
import { parse } from 'yaml';

import { checkRules, readRecording, rulesFile, type Playback } from './promtoolTest.js';

interface Case {
  readonly alert: string;
  /** Matchers of the alert's labels, as in PromQL. */
  readonly labels?: string;
  readonly recording: string;
  readonly playback: Playback;
}

/** Each alert with the fault that it reports. */
const cases: readonly Case[] = [
  { alert: 'PostriderRequestsFail', recording: 'kafka-unavailable', playback: { continuedMinutes: 10 } },
  { alert: 'PostriderEventsAreAcceptedSlowly', recording: 'slow-kafka', playback: { continuedMinutes: 15 } },
  {
    alert: 'PostriderConnectionsAreDropped',
    labels: 'instance="api-1"',
    recording: 'too-many-connections',
    playback: {},
  },
  {
    alert: 'PostriderDeliveriesAreLate',
    recording: 'mongodb-unavailable',
    playback: { continuedMinutes: 10 },
  },
  {
    alert: 'PostriderDeliveryStopped',
    recording: 'mongodb-unavailable-before-the-first-attempt',
    playback: { continuedMinutes: 12 },
  },
  { alert: 'PostriderRetriesAreLate', recording: 'mongodb-unavailable', playback: { continuedMinutes: 15 } },
  { alert: 'PostriderMostAttemptsFail', recording: 'failing-webhook', playback: { continuedMinutes: 65 } },
  {
    alert: 'PostriderGroupOffsetsExpire',
    labels: 'group=~".+[.]delivery"',
    recording: 'stopped-delivery',
    playback: { continuedMinutes: 26 * 60, intervalSeconds: 60 },
  },
  ...['events', 'attempts', 'stats'].map((model) => ({
    alert: 'PostriderProjectionIsBehind',
    labels: `model="${model}"`,
    recording: 'mongodb-unavailable',
    playback: { continuedMinutes: 8 },
  })),
  {
    alert: 'PostriderProjectionIsStalled',
    labels: 'model="events"',
    recording: 'mongodb-unavailable',
    playback: { continuedMinutes: 8 },
  },
  ...['events', 'stats'].map((model) => ({
    alert: 'PostriderFoldsSlowly',
    labels: `model="${model}"`,
    recording: 'slow-folds',
    playback: { continuedMinutes: 30 },
  })),
  {
    alert: 'PostriderDeadLetters',
    labels: 'topic=~".+[.]events"',
    recording: 'unreadable-record',
    playback: { continuedMinutes: 1 },
  },
  {
    alert: 'PostriderRecordsNotFolded',
    labels: 'model="events"',
    recording: 'record-that-cannot-be-folded',
    playback: { continuedMinutes: 1 },
  },
  {
    alert: 'PostriderEventTypesFailed',
    labels: 'instance="api-1"',
    recording: 'schema-of-another-version',
    playback: { continuedMinutes: 6 },
  },
  {
    alert: 'PostriderRoleIsDown',
    labels: 'job="postrider-delivery"',
    recording: 'stopped-delivery',
    playback: { continuedMinutes: 3 },
  },
  {
    alert: 'PostriderRoleIsNotReady',
    labels: 'job="postrider-api"',
    recording: 'mongodb-unavailable',
    playback: { continuedMinutes: 3 },
  },
  {
    alert: 'PostriderProcessIsNotReady',
    labels: 'instance="projections-1"',
    recording: 'mongodb-unavailable',
    playback: { continuedMinutes: 16 },
  },
  ...(
    [
      ['kafka', 'projections'],
      ['mongodb', 'delivery'],
      ['redis', 'api'],
    ] as const
  ).map(([server, role]) => ({
    alert: 'PostriderServerIsUnavailable',
    labels: `server="${server}",job="postrider-${role}"`,
    recording: `${server}-unavailable`,
    playback: { continuedMinutes: 3 },
  })),
  {
    alert: 'PostriderEventLoopIsBusy',
    labels: 'instance="api-1"',
    recording: 'busy-api',
    playback: { continuedMinutes: 15 },
  },
];

describe('the alert rules', () => {
  for (const { alert, labels = '', recording, playback } of cases) {
    const matchers = [`alertname="${alert}"`, 'alertstate="firing"', labels]
      .filter((part) => part !== '')
      .join();
    it(`fire ${alert}${labels === '' ? '' : ` with ${labels}`} in the recording ${recording}`, async () => {
      await checkRules(await readRecording(recording), playback, {
        expression: `group(ALERTS{${matchers}})`,
        samples: [{ labels: '{}', value: 1 }],
      });
    });
  }

  it('all fire in one of these recordings', async () => {
    const { groups } = parse(await readFile(rulesFile, 'utf8')) as {
      readonly groups: readonly { readonly rules: readonly { readonly alert: string }[] }[];
    };
    const named = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
    const fired = new Set(cases.map(({ alert }) => alert));
    expect(named.filter((alert) => !fired.has(alert))).to.deep.equal([]);
  });

  const healthy = 'group by (alertname) (last_over_time(ALERTS{alertstate="firing"}[12h]))';
  for (const [what, playback] of [
    ['at the recorded speed', {}],
    ['30 times as slow', { intervalSeconds: 150 }],
  ] as const) {
    it(`fire nothing in a healthy service and its rebuild, ${what}`, async () => {
      await checkRules(await readRecording('healthy'), playback, { expression: healthy, samples: [] });
    });
  }

  it('do not count a probe with the status 503 as a failed request', async () => {
    const recording = await readRecording('mongodb-unavailable-before-the-first-attempt');
    await checkRules(
      recording,
      { continuedMinutes: 10 },
      {
        expression: 'group(ALERTS{alertname="PostriderRequestsFail"})',
        samples: [],
      },
    );
  });
});
