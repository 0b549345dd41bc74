import type { Recipient } from '../db/schema/rooms.ts';
import { builder, sameForAll } from './builder.ts';
import { type PageArgs, sliceConnection } from './connection.ts';
import { PresenceRef } from './rooms.ts';

const RecipientKindEnum = builder.enumType('RecipientKind', {
  description: 'How a message names somebody.',
  values: {
    TO: { value: 'to', description: 'Meant for them.' },
    CC: { value: 'cc', description: 'They should know.' },
  } as const,
});

/** What a message asks of a presence stands on the edge; the presence is the node. */
interface RecipientEdge extends Recipient {
  readonly cursor: string;
}

const RecipientEdgeRef = builder.objectRef<RecipientEdge>('MessageRecipientEdge').implement({
  description: 'Somebody a message asks to look: attention, not access.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', { description: 'Where the row stands: for `after` and `before`.' }),
    node: t.field({
      type: PresenceRef,
      nullable: true,
      description: 'The presence; null once it is gone.',
      resolve: ({ presenceId }) => presenceId,
    }),
    name: t.exposeString('name', { description: 'Name of the presence.' }),
    kind: t.expose('kind', { type: RecipientKindEnum, description: 'How the message names it.' }),
    ackRequired: t.exposeBoolean('ackRequired', { description: 'Whether it is asked to acknowledge.' }),
    ackedAt: t.field({
      ...sameForAll,
      type: 'DateTime',
      nullable: true,
      description: 'When it did; null until then.',
      resolve: ({ ackedAt }) => (ackedAt === null ? null : new Date(ackedAt)),
    }),
  }),
});

const recipientId = ({ presenceId }: Recipient) => presenceId;

export function recipientPage(recipients: readonly Recipient[], page: PageArgs) {
  const { edges, pageInfo } = sliceConnection(recipients, recipientId, page);
  return { edges: edges.map(({ node, cursor }): RecipientEdge => ({ ...node, cursor })), pageInfo };
}

export const RecipientConnection = builder
  .objectRef<ReturnType<typeof recipientPage>>('MessageRecipientConnection')
  .implement({
    description: 'A page of those a message names.',
    fields: (t) => ({
      edges: t.expose('edges', { ...sameForAll, type: [RecipientEdgeRef], description: 'The rows of the page.' }),
      pageInfo: t.expose('pageInfo', {
        ...sameForAll,
        type: builder.pageInfoRef(),
        description: 'Where the page ends, and whether there is more.',
      }),
    }),
  });
