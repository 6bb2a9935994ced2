import type { Attempt } from '../api/types.js';

/** Sentences about an exchange that was not one request with one whole response. */
export function exchangeNotes({
  requests,
  responseTruncated,
}: Pick<Attempt, 'requests' | 'responseTruncated'>): readonly string[] {
  return [
    ...(requests > 1
      ? [
          'The request was sent twice, because the receiver closed a connection that an earlier request had used, ' +
            'and sent no response. The receiver may have received both.',
        ]
      : []),
    ...(responseTruncated
      ? ['This is not the whole response: its body is longer than 4 KiB, ended early or took too long.']
      : []),
  ];
}
