import aws4 from 'aws4';

import type { Token } from './tokenCache.js';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  /** When the credentials expire: a token that they sign is of no use afterwards. */
  readonly expiration?: Date | undefined;
}

const lifetimeSeconds = 900;
const userAgent = 'postrider';

/**
 * The token by which Amazon MSK authenticates a client: a request to connect (`kafka-cluster:Connect`) in the form of a URL that is
 * signed with Signature Version 4, in base64url. It is the token of Amazon's own signers for SASL OAUTHBEARER.
 * @param signedAt Unix time in milliseconds; the token is valid for 15 minutes from then on
 */
export function signAwsIamToken(region: string, credentials: AwsCredentials, signedAt: number): Token {
  const host = `kafka.${region}.amazonaws.com`;
  const date = new Date(signedAt).toISOString().replace(/[:-]|\.\d{3}/g, '');
  const query = new URLSearchParams({
    Action: 'kafka-cluster:Connect',
    'X-Amz-Date': date,
    'X-Amz-Expires': String(lifetimeSeconds),
  });
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = credentials;
  const { path = '' } = aws4.sign(
    { host, method: 'GET', path: `/?${query.toString()}`, service: 'kafka-cluster', region, signQuery: true },
    { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
  );
  const url = `https://${host}${path}&User-Agent=${userAgent}`;
  const expiresAt = signedAt + lifetimeSeconds * 1000;
  return {
    value: Buffer.from(url).toString('base64url'),
    expiresAt: Math.min(expiresAt, expiration?.getTime() ?? expiresAt),
  };
}
