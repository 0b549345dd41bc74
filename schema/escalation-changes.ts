import { dropNulls } from '../core/drop-nulls.ts';
import { type EscalationEvent, followEscalations } from '../subscriptions/escalations.ts';
import { builder, sameForAll } from './builder.ts';
import { addressArgs, EscalationRef, orgArg } from './escalations.ts';
import { eventFields, followArgs, followed } from './following.ts';
import { nativeId } from './global-id.ts';

const EscalationEventRef = builder.objectRef<EscalationEvent>('EscalationEvent').implement({
  description: 'How an escalation stood after a change.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', eventFields.cursor),
    escalation: t.expose('escalation', { ...sameForAll, type: EscalationRef, description: 'The escalation.' }),
    reset: t.exposeBoolean('reset', eventFields.reset),
  }),
});

builder.subscriptionFields((t) => ({
  escalations: t.field({
    type: EscalationEventRef,
    description: 'Changes of an organization’s escalations from a cursor on, then each new one as it is made.',
    ...followed,
    args: { ...orgArg, ...followArgs },
    subscribe: (_root, { org, ...rest }, ctx) =>
      followEscalations(ctx, { org: nativeId('Organization', org), ...dropNulls(rest) }),
    resolve: (event) => event,
  }),
  escalation: t.field({
    type: EscalationEventRef,
    description: 'Changes of one escalation from a cursor on, then each new one as it is made.',
    ...followed,
    args: { ...addressArgs, ...followArgs },
    subscribe: (_root, { org, escalation, ...rest }, ctx) =>
      followEscalations(ctx, { org: nativeId('Organization', org), escalation, ...dropNulls(rest) }),
    resolve: (event) => event,
  }),
}));
