import { expect } from 'chai';
import fc from 'fast-check';

import {
  AuthenticationError,
  InvalidResponseError,
  Postrider,
  RawJson,
  StreamGapError,
  type RequestOptions,
  type StreamEventsParameters,
} from '../../../clients/typescript/src/index.js';
import { createRecentIds } from '../../../clients/typescript/src/stream/recentIds.js';
import { reconnectDelay } from '../../../clients/typescript/src/stream/reconnect.js';
import { rejectionOf } from './rejectionOf.js';

const opening = 'retry: 0\n: the events\n\n';
const messageOf = (id: string, data = `{"id":"${id}"}`) => `id: ${id}\nevent: event\ndata: ${data}\n\n`;

/** An answer with these parts, which then ends, breaks or stays open. */
function streamOf(
  parts: readonly string[],
  end: 'ends' | 'breaks' | 'stays' = 'ends',
  onClosed = (): void => undefined,
) {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      // The network may cut a text anywhere, also within a character.
      for (const byte of encoder.encode(parts.join(''))) {
        controller.enqueue(Uint8Array.of(byte));
      }
      if (end === 'ends') {
        controller.close();
      }
    },
    pull: (controller) => {
      if (end === 'breaks') {
        controller.error(new TypeError('terminated'));
      }
    },
    cancel: onClosed,
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
}

function unauthorized(): Response {
  const error = { type: 'authentication_error', code: 'api_key_invalid', message: 'Unknown key.' };
  return Response.json({ error }, { status: 401 });
}

/** A client whose connections get these answers, one after the other, with what each has asked for. */
function clientWith(answers: readonly (Response | Error)[]) {
  const asked: (string | null)[] = [];
  const postrider = new Postrider('sk_test_1', {
    fetch: (_url, { headers }) => {
      const answer = answers[asked.length] ?? unauthorized();
      asked.push(new Headers(headers).get('last-event-id'));
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  });
  return { postrider, asked };
}

/** The ids of the events, and the error that has ended the stream. */
async function follow(postrider: Postrider, parameters?: StreamEventsParameters, options?: RequestOptions) {
  const ids: string[] = [];
  const error = await rejectionOf(
    (async () => {
      for await (const { id } of postrider.events.stream(parameters, options)) {
        ids.push(id);
      }
    })(),
  );
  return { ids, error };
}

describe('the event stream', () => {
  it('continues after the last event when a connection is lost, and gives each event once', async () => {
    const { postrider, asked } = clientWith([
      streamOf([opening, messageOf('0'), messageOf('1'), messageOf('2').slice(0, 9)], 'breaks'),
      streamOf([
        opening,
        messageOf('1', '{"id":"1","deliveries":[]}'),
        messageOf('2'),
        messageOf('3').slice(0, -1),
      ]),
      streamOf([opening, messageOf('2'), messageOf('3')]),
    ]);
    const { ids, error } = await follow(postrider, { lastEventId: '0' });
    expect(ids).to.deep.equal(['1', '2', '3']);
    expect(asked).to.deep.equal(['0', '1', '2', '3']);
    expect(error).to.be.instanceOf(AuthenticationError);
  });

  it('ends at a malformed event, which another connection would only send again', async () => {
    const { postrider, asked } = clientWith([streamOf([opening, messageOf('1'), messageOf('2', '{"id"')])]);
    const { ids, error } = await follow(postrider);
    expect(ids).to.deep.equal(['1']);
    expect(error).to.be.instanceOf(InvalidResponseError).and.include({ status: 200 });
    expect(asked).to.have.lengthOf(1);
  });

  it('tells the caller about a gap', async () => {
    const { postrider } = clientWith([
      streamOf([opening, messageOf('1'), 'event: gap\ndata: {}\n\n'], 'stays'),
    ]);
    const { ids, error } = await follow(postrider);
    expect(ids).to.deep.equal(['1']);
    expect(error).to.be.instanceOf(StreamGapError).and.include({ lastEventId: '1' });
  });

  it('closes the connection when the caller stops reading', async () => {
    const closed: string[] = [];
    const answer = streamOf([opening, messageOf('1')], 'stays', () => closed.push('by the end of the loop'));
    for await (const { id } of clientWith([answer]).postrider.events.stream()) {
      expect(id).to.equal('1');
      break;
    }
    const leaving = new AbortController();
    const silent = streamOf([opening], 'stays', () => closed.push('by the signal'));
    const reason = new Error('the caller has left');
    const following = follow(clientWith([silent]).postrider, {}, { signal: leaving.signal });
    leaving.abort(reason);
    expect((await following).error).to.equal(reason);
    expect(closed).to.include('by the end of the loop');
  });

  it('keeps all characters and the digits of large numbers', async () => {
    const data = '{"n":12345678901234567890.0,"text":"é😀"}';
    const { postrider } = clientWith([streamOf([opening, messageOf('1', `{"data":${data}}`)], 'stays')]);
    for await (const event of postrider.events.stream({}, { rawData: true })) {
      expect(event.data).to.deep.equal(new RawJson(data));
      break;
    }
  });

  it('waits longer after each failure, but at least as long as the service asks', () => {
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.nat(30), fc.option(fc.nat(60_000)), chance, (failures, retry, random) => {
        const delay = reconnectDelay({ error: null, failures, retry, random });
        const longer = reconnectDelay({ error: null, failures: failures + 1, retry, random });
        expect(delay).to.be.within(retry ?? 0, 75_000);
        expect(longer).to.be.at.least(delay);
      }),
    );
  });

  it('remembers as many ids as it may', () => {
    const ids = createRecentIds(2);
    expect(['a', 'b', 'a', 'c', 'b', 'a'].map(ids.add)).to.deep.equal([true, true, false, true, false, true]);
  });
});
