import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeAtEndOfFile } from './fileResources.js';

/** A token endpoint of OAuth 2.0 for one client, which issues tokens that brokers verify with its keys. */
export interface TokenEndpoint {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The JSON Web Key Set by which its tokens are verified. */
  readonly keySet: string;
  /** The number of tokens that it has issued. */
  readonly issued: () => number;
  /** The lifetime of later tokens, in seconds. */
  setLifetime: (seconds: number) => void;
  /** The response to later requests instead of a token. */
  fail: (status: number, body: string) => void;
  readonly close: () => Promise<void>;
}

const clientId = 'postrider client';
// The credentials contain characters that OAuth 2.0 requires to be encoded in the header.
const clientSecret = 'secret:with/signs+%&~';
const keyId = 'test-key';

export async function startTokenEndpoint(): Promise<TokenEndpoint> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const basic = Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString('base64');
  let issued = 0;
  let lifetime = 3600;
  let failure: { readonly status: number; readonly body: string } | null = null;

  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const issue = (scope: string | null) => {
    issued += 1;
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: 'test', aud: 'kafka', sub: 'postrider', iat: now, exp: now + lifetime, scope };
    const signed = `${encode({ alg: 'RS256', typ: 'JWT', kid: keyId })}.${encode(claims)}`;
    const signature = sign('sha256', Buffer.from(signed), privateKey).toString('base64url');
    return { access_token: `${signed}.${signature}`, token_type: 'Bearer', expires_in: lifetime };
  };
  const answer = async (request: IncomingMessage): Promise<{ status: number; body: string }> => {
    const form = new URLSearchParams(await text(request));
    if (failure !== null) {
      return failure;
    }
    if (request.headers.authorization !== `Basic ${basic}`) {
      return {
        status: 401,
        body: JSON.stringify({ error: 'invalid_client', error_description: 'no such client' }),
      };
    }
    if (form.get('grant_type') !== 'client_credentials' || form.get('scope') !== 'kafka') {
      return { status: 400, body: JSON.stringify({ error: 'invalid_scope' }) };
    }
    return { status: 200, body: JSON.stringify(issue(form.get('scope'))) };
  };

  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const key = { ...publicKey.export({ format: 'jwk' }), kid: keyId, alg: 'RS256', use: 'sig' };
  return {
    url: `http://127.0.0.1:${port}/token`,
    clientId,
    clientSecret,
    keySet: JSON.stringify({ keys: [key] }),
    issued: () => issued,
    setLifetime: (seconds) => {
      lifetime = seconds;
    },
    fail: (status, body) => {
      failure = { status, body };
    },
    close: closeAtEndOfFile(async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    }),
  };
}

/** The encoding of RFC 6749, section 2.3.1: letters, digits and a few signs stay, a space is `+`. */
function formEncoded(value: string): string {
  return encodeURIComponent(value)
    .replace(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%20/g, '+');
}
