import { dropNulls } from '../core/drop-nulls.ts';
import { openEscalationFeed } from '../resolvers/escalations/open-escalations.ts';
import { type EscalationEvent, followEscalations } from '../subscriptions/escalations.ts';
import { builder, sameForAll } from './builder.ts';
import { EscalationRef } from './escalations.ts';
import { eventFields, followArgs, followed } from './following.ts';
import { inputsOf } from './operation-field.ts';

const EscalationEventRef = builder.objectRef<EscalationEvent>('EscalationEvent').implement({
  description: 'How an escalation stood after a change.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', eventFields.cursor),
    escalation: t.expose('escalation', { ...sameForAll, type: EscalationRef, description: 'The escalation.' }),
    reset: t.exposeBoolean('reset', eventFields.reset),
  }),
});

const ofAll = inputsOf(openEscalationFeed, { omit: ['escalation', 'cursor'] });
const ofOne = inputsOf(openEscalationFeed, {
  omit: ['cursor'],
  ids: { escalation: null },
  required: ['escalation'],
});

builder.subscriptionFields((t) => ({
  escalations: t.field({
    type: EscalationEventRef,
    description: 'Changes of an organization’s escalations from a cursor on, then each new one as it is made.',
    ...followed,
    args: { ...ofAll.args, ...followArgs },
    subscribe: (_root, { after, first, ...address }, ctx) =>
      followEscalations(ctx, { ...ofAll.read(address), ...dropNulls({ after, first }) }),
    resolve: (event) => event,
  }),
  escalation: t.field({
    type: EscalationEventRef,
    description: 'Changes of one escalation from a cursor on, then each new one as it is made.',
    ...followed,
    args: { ...ofOne.args, ...followArgs },
    subscribe: (_root, { after, first, ...address }, ctx) =>
      followEscalations(ctx, { ...ofOne.read(address), ...dropNulls({ after, first }) }),
    resolve: (event) => event,
  }),
}));
