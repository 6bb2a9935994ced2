import { readFile } from 'node:fs/promises';

import { expect } from 'chai';

import { checkSample, type Sample } from '../contract/exchange.js';

/** The samples of docs/api.md: a request with its body, if it has one, and its response, if the page shows it. */
async function samples(): Promise<readonly Sample[]> {
  const page = await readFile('docs/api.md', 'utf8');
  return [...page.matchAll(/^```http\n(.*?)^```$/gms)].map(([, text = '']) => {
    const [request = '', response = null] = text.split(/\n\n(?=\d{3}\n)/);
    const [line = '', ...body] = request.split('\n');
    const [method = '', path = ''] = line.split(' ');
    return { method, path, body: body.join('\n').trim(), response: responseOf(response) };
  });
}

function responseOf(text: string | null): Sample['response'] {
  return text === null ? null : { status: Number(text.slice(0, 3)), body: text.slice(4) };
}

describe('the samples in docs/api.md', () => {
  it('are requests that the API accepts, and responses that it gives', async () => {
    const all = await samples();
    expect(all.map(({ method, path }) => `${method} ${path}`)).to.include('POST /v1/events');
    all.forEach(checkSample);
  });
});
