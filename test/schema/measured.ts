import {
  buildSchema,
  type DocumentNode,
  type FieldNode,
  Kind,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { ServiceError } from '../../core/errors.ts';
import { checkCost, planCost } from '../../schema/engine/cost.ts';
import { checkLimits, type DocumentLimits, documentLimits, type LimitName } from '../../schema/engine/limits.ts';

export const schema = buildSchema(`
  type Query { me: User, room(id: ID): Room, rooms(first: Int, last: Int, after: String): RoomConnection!, any: Any }
  type User { id: ID!, name: String, rooms(first: Int, last: Int): RoomConnection }
  type Room { id: ID!, name: String, members: [User!]!, messages(first: Int, last: Int): MessageConnection! }
  type Message { id: ID!, body: String, sender: User }
  type RoomConnection { edges: [RoomEdge!]!, totalCount: Int }
  type RoomEdge { node: Room }
  type MessageConnection { edges: [MessageEdge!]! }
  type MessageEdge { node: Message }
  union Any = User | Room
`);

export const unlimited = Object.fromEntries(
  Object.keys(documentLimits).map((limit) => [limit, Number.MAX_SAFE_INTEGER]),
) as unknown as DocumentLimits;

/** The refusal a check throws, or undefined when it lets the document pass; anything else it throws fails the test. */
export function refusal(check: () => void): { limit: LimitName; allowed: number; actual: number } | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'GRAPHQL_LIMIT_EXCEEDED') throw error;
    return error.details as ReturnType<typeof refusal>;
  }
}
export const limitsOf = (source: string, limits = documentLimits) => refusal(() => checkLimits(parse(source), limits));
/** The least one has to allow of a limit for the document to pass. */
export function measure(document: DocumentNode, limit: LimitName): number {
  for (let allowed = -1; ; ) {
    const refused = refusal(() => checkLimits(document, { ...unlimited, [limit]: allowed }));
    if (refused === undefined) return allowed;
    allowed = refused.actual;
  }
}
export const costOf = (source: string, variables: Record<string, unknown> = {}, operationName?: string) =>
  refusal(() => checkCost(planCost(schema, parse(source)), operationName, variables, { ...unlimited, cost: -1 }))
    ?.actual;

/** `{a{a{a … }}}` made by hand, since the parser could not go so deep. */
export function deepDocument(depth: number): DocumentNode {
  let selectionSet: SelectionSetNode | undefined;
  for (let level = 0; level < depth; level++) {
    const name = { kind: Kind.NAME, value: 'me' } as const;
    const field: FieldNode = { kind: Kind.FIELD, name, ...(selectionSet && { selectionSet }) };
    selectionSet = { kind: Kind.SELECTION_SET, selections: [field] };
  }
  const operation = OperationTypeNode.QUERY;
  return {
    kind: Kind.DOCUMENT,
    definitions: [{ kind: Kind.OPERATION_DEFINITION, operation, selectionSet: selectionSet! }],
  };
}

/** A chain of fragments, each of which spreads the next one twice: two to the power of `levels` leaves. */
export function doublingChain(levels: number, leaf: string): string {
  const fragments = Array.from({ length: levels }, (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`);
  return `{ ...F0 } ${fragments.join(' ')} fragment F${levels} on Query { ${leaf} }`;
}

/** The same document, counting how often any selection is read. */
export function counting(document: DocumentNode): { document: DocumentNode; selections: number; visits: () => number } {
  let visits = 0;
  let selections = 0;
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        if (key === 'loc') return [key, undefined];
        if (key !== 'selections') return [key, copy(member)];
        selections += (member as unknown[]).length;
        return [
          key,
          new Proxy(copy(member) as object, {
            get(target, index, receiver) {
              const read = Reflect.get(target, index, receiver);
              if (typeof index === 'string' && /^\d+$/.test(index) && read !== undefined) visits++;
              return read;
            },
          }),
        ];
      }),
    );
  };
  const copied = copy(document) as DocumentNode;
  return { document: copied, selections, visits: () => visits };
}
