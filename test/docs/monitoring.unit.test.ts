import { readFile } from 'node:fs/promises';

import { expect } from 'chai';
import { parse } from 'yaml';
import { z } from 'zod';

import { createMetrics } from '../../shared/runtime/metrics.js';

const rulesSchema = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z
            .string()
            .regex(/^\d+[smh]$/)
            .optional(),
          labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
          annotations: z.strictObject({ summary: z.string().min(1), action: z.string().min(1) }),
        }),
      ),
    }),
  ),
});

const dashboardSchema = z.object({
  panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })).default([]) })),
});

const read = (name: string) => readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

async function readRules() {
  const { groups } = rulesSchema.parse(parse(await read('monitoring/alerts.yml')));
  return groups.flatMap(({ rules }) => rules);
}

async function readPanels() {
  return dashboardSchema.parse(JSON.parse(await read('monitoring/dashboard.json'))).panels;
}

/** The names of all series of a process. A histogram has three. */
async function seriesOfProcesses(): Promise<ReadonlySet<string>> {
  const text = await createMetrics().text();
  return new Set(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['_bucket', '_count', '_sum'].map((suffix) => name + suffix) : [name],
    ),
  );
}

function seriesIn(expression: string): readonly string[] {
  return expression.match(/\b(postrider|nodejs|process)_[a-z0-9_]+/g) ?? [];
}

describe('the files for monitoring', () => {
  it('use existing metrics only', async () => {
    const known = await seriesOfProcesses();
    const alerts = (await readRules()).map(({ expr }) => expr);
    const panels = (await readPanels()).flatMap(({ targets }) => targets.map(({ expr }) => expr));
    const unknown = [...alerts, ...panels].flatMap(seriesIn).filter((name) => !known.has(name));
    expect([unknown, alerts.length > 0, panels.length > 0]).to.deep.equal([[], true, true]);
  });

  it('show every metric of the service on the dashboard', async () => {
    const shown = (await readPanels()).flatMap(({ targets }) =>
      targets.flatMap(({ expr }) => seriesIn(expr)),
    );
    const families = new Set(shown.map((name) => name.replace(/_(bucket|count|sum)$/, '')));
    const own = [...(await createMetrics().text()).matchAll(/^# TYPE (postrider_\S+) /gm)];
    expect(own.map(([, name]) => name).filter((name) => !families.has(name ?? ''))).to.deep.equal([]);
  });

  it('use metrics that docs/operations/monitor.md lists, every one', async () => {
    const page = await read('operations/monitor.md');
    const own = [...(await createMetrics().text()).matchAll(/^# TYPE (postrider_\S+) /gm)];
    const listed = [...page.matchAll(/^\| `(postrider_\w+)/gm)].map(([, name]) => name);
    expect(listed).to.have.members(own.map(([, name]) => name));
  });

  it('are named in docs/operations/incidents.md, with every alert', async () => {
    const page = await read('operations/incidents.md');
    const missing = (await readRules()).map(({ alert }) => alert).filter((name) => !page.includes(name));
    expect([
      missing,
      page.includes('monitoring/alerts.yml'),
      page.includes('monitoring/dashboard.json'),
    ]).to.deep.equal([[], true, true]);
  });
});
