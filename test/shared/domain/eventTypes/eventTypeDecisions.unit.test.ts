import { expect } from 'chai';

import {
  evolveEventType,
  maximumBytesPerMode,
  maximumTypesPerMode,
  type EventTypeSettings,
  type EventTypeState,
} from '../../../../shared/domain/eventTypes/eventType.js';
import { decideEventType } from '../../../../shared/domain/eventTypes/eventTypeDecisions.js';
import { eventTypeCreated, eventTypeDeleted, eventTypeSettings } from '../../../support/eventTypeFacts.js';
import { testActor } from '../../../support/facts.js';

const none = { count: 0, bytes: 0 };
const existing = evolveEventType(null, eventTypeCreated());
const deleted = evolveEventType(existing, eventTypeDeleted());

function decided(before: EventTypeState, settings: EventTypeSettings, others = none) {
  return decideEventType(before, settings, { others, actor: testActor });
}

function factsOf(before: EventTypeState, settings: EventTypeSettings) {
  const decision = decided(before, settings);
  return decision.outcome === 'accepted' ? decision.facts : [];
}

describe('decideEventType', () => {
  it('creates an event type that does not exist, or that was deleted', () => {
    const types = [null, deleted].map((before) =>
      factsOf(before, eventTypeSettings()).map(({ type }) => type),
    );
    expect(types).to.deep.equal([['postrider.event-type.created'], ['postrider.event-type.created']]);
  });

  it('returns no fact for an equal event type', () => {
    expect(factsOf(existing, eventTypeSettings())).to.deep.equal([]);
  });

  it('names the changed fields, and identifies schemas and examples by size and digest', () => {
    const settings = eventTypeSettings({ schema: 'true', examples: '[]', deprecated: true });
    const [fact] = factsOf(existing, settings);
    expect(fact).to.deep.equal({
      type: 'postrider.event-type.updated',
      value: {
        ...settings,
        changes: {
          schema: {
            from: '51 bytes, SHA-256 3e5b792761ed185b298b68124b0680a0f375f68defd2c322e0f0f1b1395be9da',
            to: '4 bytes, SHA-256 b5bea41b6c623f7c09f1bf24dcae58ebab3c0cdd90ad966bc43a45b44867e12b',
          },
          examples: {
            from: '18 bytes, SHA-256 cc9d8a8bb13e95f4d4244d1e094bfd3399de959bf64fa442b4c0ee1cd27c4962',
            to: null,
          },
          deprecated: { from: 'false', to: 'true' },
        },
        actor: testActor,
      },
    });
  });

  it('takes a schema as changed if only its white space differs', () => {
    expect(factsOf(existing, eventTypeSettings({ schema: '{ }' }))).to.have.length(1);
  });

  it('rejects one event type more than an account may have', () => {
    const others = { count: maximumTypesPerMode, bytes: 0 };
    expect([
      decided(null, eventTypeSettings(), others),
      decided(existing, eventTypeSettings({ description: null }), others).outcome,
      decided(null, eventTypeSettings(), { count: maximumTypesPerMode - 1, bytes: 0 }).outcome,
    ]).to.deep.equal([{ outcome: 'too many' }, 'accepted', 'accepted']);
  });

  it('rejects one byte more than the schemas and examples of an account may have', () => {
    const settings = eventTypeSettings({ schema: 'true', examples: '[{}]' });
    const bytes = maximumBytesPerMode - 8;
    expect([
      decided(null, settings, { count: 1, bytes }).outcome,
      decided(null, settings, { count: 1, bytes: bytes + 1 }).outcome,
    ]).to.deep.equal(['accepted', 'too large']);
  });
});
