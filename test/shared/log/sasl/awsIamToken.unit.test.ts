import { expect } from 'chai';

import { signAwsIamToken, type AwsCredentials } from '../../../../shared/log/sasl/awsIamToken.js';

const signedAt = Date.UTC(2026, 10, 24, 6, 30);
const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';

const decode = (value: string) => new URL(Buffer.from(value, 'base64url').toString());

/** The URLs that botocore 1.44.5 signs for the same time and credentials, in the way of aws-msk-iam-sasl-signer-python 1.0.2. */
const vectors: readonly { title: string; region: string; credentials: AwsCredentials; url: string }[] = [
  {
    title: 'permanent credentials',
    region: 'eu-central-1',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey },
    url:
      'https://kafka.eu-central-1.amazonaws.com/?Action=kafka-cluster%3AConnect&X-Amz-Algorithm=AWS4-HMAC-SHA256' +
      '&X-Amz-Credential=AKIDEXAMPLE%2F20261124%2Feu-central-1%2Fkafka-cluster%2Faws4_request&X-Amz-Date=20261124T063000Z' +
      '&X-Amz-Expires=900&X-Amz-SignedHeaders=host' +
      '&X-Amz-Signature=c1db152bd6fa5c131c1560ad65e543116069ece52ae8117de43667334fdb1358&User-Agent=postrider',
  },
  {
    title: 'temporary credentials with a session token',
    region: 'us-east-1',
    credentials: {
      accessKeyId: 'ASIAEXAMPLE',
      secretAccessKey,
      sessionToken: 'FwoGZXIvYXdzEXAMPLE/token+with=signs==',
    },
    url:
      'https://kafka.us-east-1.amazonaws.com/?Action=kafka-cluster%3AConnect&X-Amz-Algorithm=AWS4-HMAC-SHA256' +
      '&X-Amz-Credential=ASIAEXAMPLE%2F20261124%2Fus-east-1%2Fkafka-cluster%2Faws4_request&X-Amz-Date=20261124T063000Z' +
      '&X-Amz-Expires=900&X-Amz-SignedHeaders=host&X-Amz-Security-Token=FwoGZXIvYXdzEXAMPLE%2Ftoken%2Bwith%3Dsigns%3D%3D' +
      '&X-Amz-Signature=4ab6a3187524c8e8a4b65d1691e30222da1bd593e204837d466a70aadc4852c4&User-Agent=postrider',
  },
];

const parametersOf = (url: URL) => Object.fromEntries(url.searchParams);

describe('the token of AWS IAM', () => {
  for (const { title, region, credentials, url } of vectors) {
    it(`is the same URL as that of Amazon's own signer for ${title}`, () => {
      const token = decode(signAwsIamToken(region, credentials, signedAt).value);
      const expected = new URL(url);
      expect([token.origin, token.pathname, parametersOf(token)]).to.deep.equal([
        expected.origin,
        expected.pathname,
        parametersOf(expected),
      ]);
    });
  }

  it('contains no padding, which the brokers do not accept', () => {
    const { value } = signAwsIamToken(
      'eu-central-1',
      { accessKeyId: 'AKIDEXAMPLE', secretAccessKey },
      signedAt,
    );
    expect(value).to.match(/^[A-Za-z0-9_-]+$/);
  });

  it('expires after 15 minutes', () => {
    const token = signAwsIamToken('eu-central-1', { accessKeyId: 'AKIDEXAMPLE', secretAccessKey }, signedAt);
    expect(token.expiresAt).to.equal(signedAt + 900_000);
  });

  it('expires with the credentials if they expire earlier', () => {
    const expiration = new Date(signedAt + 60_000);
    const credentials = { accessKeyId: 'ASIAEXAMPLE', secretAccessKey, sessionToken: 'token', expiration };
    expect(signAwsIamToken('eu-central-1', credentials, signedAt).expiresAt).to.equal(expiration.getTime());
  });
});
