import { expect } from 'chai';

import { RejectedError } from '../../../../cli/developer/api/failures.js';
import { followStream, pauseAfter } from '../../../../cli/developer/listen/followStream.js';
import { lifeLimits } from '../../../../cli/developer/listen/lifeSigns.js';

const otherServer = new RejectedError('This is another server.', {
  status: 200,
  code: null,
  retryAfterMs: null,
});

/** Follows a stream whose connections end one after the other with an answer or an error. */
async function follow(...ends: readonly (Response | Error)[]) {
  const states: string[] = [];
  const stopping = new AbortController();
  let connections = 0;
  const error = await followStream({
    client: {
      open: () => {
        const end = ends[connections];
        connections += 1;
        return end instanceof Response ? Promise.resolve(end) : Promise.reject(end ?? new Error('none'));
      },
    },
    query: [],
    limits: lifeLimits,
    lastEventId: () => null,
    onConnected: () => states.push('connected'),
    onLost: ({ reason }) => {
      states.push(reason);
      if (connections === ends.length) {
        stopping.abort();
      }
    },
    onEvent: () => undefined,
    onGap: () => undefined,
    signal: stopping.signal,
  }).catch((reason: unknown) => reason);
  return { states, error };
}

describe('the event stream of listen', () => {
  it('ends with the reason if the first answer is of another server, without a connection', async () => {
    expect(await follow(otherServer)).to.deep.equal({ states: [], error: otherServer });
  });

  it('counts as lost if a later answer is of another server', async () => {
    const { states, error } = await follow(new Response(':\n\n'), otherServer);
    expect(states).to.deep.equal(['connected', 'the service has ended the connection', otherServer.message]);
    expect(error).to.equal(undefined);
  });

  it('waits as long as the service asks for, but not longer than a minute', () => {
    const pauses = [10_000, 86_400_000].map((retryAfterMs) =>
      pauseAfter(new RejectedError('Later.', { status: 429, code: 'rate_limited', retryAfterMs }), 1),
    );
    expect(pauses).to.deep.equal([10_000, 60_000]);
  });
});
