import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect } from 'chai';
import getPort from 'get-port';

import { createApiClient } from '../../../../cli/developer/api/apiClient.js';
import { closeAtEndOfFile } from '../../../support/fileResources.js';

const timing = { timeoutMs: 30_000, firstPauseMs: 1 };

const json = { 'content-type': 'application/json; charset=utf-8' };

type Fault = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that answers with one fault after the other, and then with an empty object. */
async function serverWith(...faults: readonly Fault[]) {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      keys.push(String(request.headers['idempotency-key']));
      const fault = faults[keys.length - 1];
      if (fault === undefined) {
        response.writeHead(200, json).end('{}');
      } else {
        fault(request, response);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closeAtEndOfFile(() => {
    server.closeAllConnections();
    server.close();
  });
  const value = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = { value, origin: 'POSTRIDER_URL' };
  return {
    keys,
    client: createApiClient({ url, apiKey: { value: 'sk_test_1', origin: '--api-key' } }, timing),
  };
}

const cutOff: Fault = (_request, response) => {
  response.socket?.destroy();
};

const cutOffBody: Fault = (_request, response) => {
  response.writeHead(200, { ...json, 'content-length': '10' }).write('{');
  response.socket?.destroySoon();
};

function answer(status: number, body: string, headers = {}): Fault {
  return (_request, response) => {
    response.writeHead(status, headers).end(body);
  };
}

function errorBody(code: string): string {
  return JSON.stringify({ error: { code, message: 'A message.', param: null } });
}

const post = { method: 'POST', path: '/v1/events', body: '{}' } as const;

async function failureOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => expect.fail('no failure'),
    (error: unknown) => String(error),
  );
}

describe('the API client of the commands', () => {
  it('repeats a POST with the same key after lost connections, a 429 and a 5xx', async () => {
    for (const faults of [
      [cutOff, cutOffBody, answer(503, errorBody('service_unavailable'))],
      [answer(429, errorBody('rate_limit_exceeded'), { 'retry-after': '0' }), answer(502, '<html>')],
      [answer(409, errorBody('idempotency_key_in_use'))],
    ]) {
      const { client, keys } = await serverWith(...faults);
      expect((await client.send(post)).toString()).to.equal('{}');
      expect([keys.length, new Set(keys).size]).to.deep.equal([faults.length + 1, 1]);
      await client.send(post);
      expect(new Set(keys).size).to.equal(2);
    }
  });

  it('does not repeat what was rejected for good, and what has failed too often or for too long', async () => {
    for (const [fault, calls] of [
      [answer(400, errorBody('parameter_invalid')), 1],
      [answer(500, errorBody('internal_error')), 4],
      [answer(429, errorBody('rate_limit_exceeded'), { 'retry-after': '3600' }), 1],
    ] as const) {
      const { client, keys } = await serverWith(fault, fault, fault, fault, fault);
      await failureOf(client.send(post));
      expect(keys.length).to.equal(calls);
    }
  });

  it('counts what is gone as deleted only after a try that may have deleted it', async () => {
    const gone = answer(404, errorBody('resource_missing'));
    const remove = { method: 'DELETE', path: '/v1/webhooks/wh_1', answerIfGone: '{"deleted":true}' } as const;
    const lost = await serverWith(cutOff, gone);
    expect((await lost.client.send(remove)).toString()).to.equal('{"deleted":true}');
    const limited = answer(429, errorBody('rate_limit_exceeded'), { 'retry-after': '0' });
    for (const faults of [[gone], [limited, gone]]) {
      const { client } = await serverWith(...faults);
      expect(await failureOf(client.send(remove))).to.contain('resource_missing');
    }
  });

  it('takes a page or a file of another server for no answer of the API', async () => {
    const page = answer(200, '<html>', { 'content-type': 'text/html' });
    const { client, keys } = await serverWith(page, page, answer(200, '{}', json), answer(200, '{}'));
    const { signal } = new AbortController();
    const failures = [
      await failureOf(client.send(post)),
      await failureOf(client.open({ path: '/v1/events/stream' }, signal)),
      await failureOf(client.open({ path: '/v1/events/stream' }, signal)),
      await failureOf(client.send(post)),
    ];
    failures.forEach((failure) => expect(failure).to.match(/not answer like Postrider.*POSTRIDER_URL/));
    expect(keys.length).to.equal(4);
  });

  it('names the setting to change', async () => {
    const wrongKey = await serverWith(answer(401, errorBody('api_key_invalid')));
    expect(await failureOf(wrongKey.client.send(post))).to.match(
      /rejects the API key of --api-key.*api_key_invalid/,
    );
    const otherServer = await serverWith(answer(404, '<html>', { 'content-type': 'text/html' }));
    expect(await failureOf(otherServer.client.send(post))).to.match(
      /not answer like Postrider.*POSTRIDER_URL/,
    );
    const free = `127.0.0.1:${await getPort({ host: '127.0.0.1' })}`;
    const url = { value: `http://${free}`, origin: 'the default' };
    const noServer = createApiClient({ url, apiKey: { value: 'k', origin: '--api-key' } }, timing);
    expect(await failureOf(noServer.send(post))).to.match(/Nothing listens on 127.*--url.*POSTRIDER_URL/);
  });
});
