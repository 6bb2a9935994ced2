import { expect } from 'chai';

import { deliveryGroups } from '../../shared/log/topics/groups.js';
import { topicDefinitions } from '../../shared/log/topics/names.js';
import { readBackupPage } from './backupPage.js';

const prefix = '<prefix>';

/** The names in code font in the rows of the table that begin with this text. */
async function namesIn(beginning: string): Promise<readonly string[]> {
  const rows = (await readBackupPage()).parts.filter((part) => part.startsWith(beginning));
  return rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

function isNamedBy(topic: string): (name: string) => boolean {
  return (name) => (name.endsWith('*') ? topic.startsWith(name.slice(0, -1)) : topic === name);
}

describe('the table of the parts of a backup', () => {
  const settings = { partitions: 1, replication: 1, eventRetentionMs: null };
  const topics = topicDefinitions({ ...settings, prefix: '' }).map(({ topic }) => topic);

  it('has every topic', async () => {
    const names = await namesIn('the topic');
    expect(topics.filter((topic) => !names.some(isNamedBy(topic)))).to.deep.equal([]);
  });

  it('has no topic that does not exist', async () => {
    const names = await namesIn('the topic');
    expect(names.filter((name) => !topics.some((topic) => isNamedBy(topic)(name)))).to.deep.equal([]);
  });

  it('has the offsets of every group that delivers', async () => {
    const names = await namesIn('the committed offsets');
    expect(names).to.include.members(deliveryGroups(prefix).map(({ groupId }) => groupId));
  });

  it('has MongoDB, which contains more than the log if a retention is set', async () => {
    expect(await namesIn('MongoDB')).to.deep.equal(['POSTRIDER_EVENT_RETENTION']);
  });
});
