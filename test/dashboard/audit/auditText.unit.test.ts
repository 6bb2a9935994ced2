import { readFile } from 'node:fs/promises';

import { expect } from 'chai';

import { idsIn, isTime, knownActions, valueText } from '../../../dashboard/audit/auditText.js';

describe('the texts of the audit log in the dashboard', () => {
  it('recognize times, which are shown in the time zone of the user’s choice', () => {
    expect(['2026-11-21T06:46:40.628Z', '2026', null, ['a']].map(isTime)).to.deep.equal([
      true,
      false,
      false,
      false,
    ]);
  });

  it('name values in words', () => {
    expect([
      valueText('undelivered', 'only'),
      valueText('gone', 'disabledReason'),
      valueText(['*'], 'events'),
      valueText([], 'types'),
      valueText(null, 'scopes'),
      valueText([], 'errorCodes'),
      valueText(['order.*', 'user.signup'], 'events'),
      valueText(12),
      valueText(null),
    ]).to.deep.equal([
      'undelivered events',
      'answered 410 Gone',
      'all',
      'all',
      'full access',
      'none',
      'order.*, user.signup',
      '12',
      'none',
    ]);
  });

  it('recognize the ids of webhooks and events, which are shown as links', () => {
    const id = 'wh_01M7YDPTQM04NT3X3AX52TZD0R';
    expect([idsIn(id), idsIn([id]), idsIn([id, 'x']), idsIn([]), idsIn(null), idsIn(1)]).to.deep.equal([
      [id],
      [id],
      null,
      null,
      null,
      null,
    ]);
  });

  it('know every action that the API documents', async () => {
    const page = await readFile('docs/api.md', 'utf8');
    const known = knownActions.flatMap(([group, actions]) => actions.map((action) => `${group}.${action}`));
    const section = /^## Audit log$.*?^## /ms.exec(page)?.[0] ?? '';
    const rows = [...section.matchAll(/^\| `(\w+)` +\| (.*) \|$/gm)];
    const documented = rows.flatMap(([, group = '', actions = '']) =>
      [...actions.matchAll(/`(\w+)`/g)].map(([, action = '']) => `${group}.${action}`),
    );
    expect(documented.toSorted()).to.deep.equal(known.toSorted());
  });
});
