import aws4 from 'aws4';

import type { Token } from './tokenCache.js';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  /** The expiry of the credentials. A token that they sign is useless afterwards. */
  readonly expiration?: Date | undefined;
}

const lifetimeSeconds = 900;
const userAgent = 'postrider';

/**
 * The token that authenticates a client at Amazon MSK. It is a request to connect (`kafka-cluster:Connect`) as a URL,
 * signed with Signature Version 4, in base64url. Amazon's signers for SASL OAUTHBEARER create the same token.
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
