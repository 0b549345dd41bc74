import {
  type ArgumentNode,
  type DirectiveNode,
  type DocumentNode,
  type FragmentArgumentNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { foldSelections, type Selecting } from './fold-selections.ts';

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** What the field answers depends on its parent and its arguments alone, whoever asks. */
    sameForAll?: boolean;
    /** Arguments of a subscription that say where a subscriber begins and ends, and nothing of what an event looks like. */
    perSubscriber?: readonly string[];
  }
}

/** What decides whether subscribers get the same answer to an event. */
interface Sharing {
  /** Nothing that is selected depends on who asks. */
  readonly sameForAll: boolean;
  /** Variables that have a part in the answer, sorted. */
  readonly variables: readonly string[];
}

interface Selected {
  sameForAll: boolean;
  readonly variables: Set<string>;
}

const known = new WeakMap<DocumentNode, ReadonlyMap<unknown, Selected>>();
const numbers = new WeakMap<DocumentNode, number>();
let lastNumber = 0;

export interface SharingRequest {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>> | null | undefined;
  /** Everything else an event may depend on; undefined when nobody could say. */
  readonly audience: string | undefined;
}

/**
 * Names those who get the same answer to every event: their document, operation, variables and audience are equal.
 * Undefined for who shares with nobody.
 */
export function sharingKey({ schema, document, operation, variables, audience }: SharingRequest): string | undefined {
  if (audience === undefined) return undefined;
  const sharing = sharingOf(schema, document, operation);
  if (!sharing.sameForAll) return undefined;
  // An absent variable takes its default, so it is not the same as null: leave it out.
  const given = sharing.variables.flatMap((name) =>
    variables?.[name] === undefined ? [] : [[name, variables[name]] as const],
  );
  return JSON.stringify([numberOf(document), operation.name?.value ?? null, audience, given]);
}

/** Documents are one object per source text; a number names them shorter. */
function numberOf(document: DocumentNode): number {
  let number = numbers.get(document);
  if (number === undefined) numbers.set(document, (number = ++lastNumber));
  return number;
}

function sharingOf(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Sharing {
  let folded = known.get(document);
  if (folded === undefined) known.set(document, (folded = foldDocument(schema, document)));
  const { sameForAll, variables } = folded.get(operation)!;
  return { sameForAll, variables: [...variables].sort() };
}

type Given = ArgumentNode | FragmentArgumentNode | DirectiveNode;

/** For each operation and fragment what it asks for. Where that is not known for sure, it is taken to depend on the caller. */
const foldDocument = (schema: GraphQLSchema, document: DocumentNode): ReadonlyMap<unknown, Selected> =>
  foldSelections<Selected, GraphQLObjectType | undefined>(document, {
    enter: (node, around) => typeInside(schema, node, around),
    begin: () => ({ sameForAll: true, variables: new Set() }),
    add(into, selection, below, type) {
      let given: readonly Given[] = 'arguments' in selection ? (selection.arguments ?? []) : [];
      if (selection.kind === Kind.FIELD && selection.name.value !== '__typename') {
        const field = type?.getFields()[selection.name.value];
        const root = type !== undefined && type === schema.getSubscriptionType();
        if (field === undefined || !(root || isSameForAll(type!, field))) into.sameForAll = false;
        given = given.filter(({ name }) => field?.extensions.perSubscriber?.includes(name.value) !== true);
      }
      for (const node of [...given, ...(selection.directives ?? [])]) addVariables(node, into.variables);
      if (below === undefined) return;
      if (!below.sameForAll) into.sameForAll = false;
      for (const name of below.variables) into.variables.add(name);
    },
  });

function addVariables(node: Given, into: Set<string>): void {
  visit(node, { Variable: ({ name }) => void into.add(name.value) });
}

function typeInside(
  schema: GraphQLSchema,
  node: Selecting,
  around: GraphQLObjectType | undefined,
): GraphQLObjectType | undefined {
  switch (node.kind) {
    case Kind.OPERATION_DEFINITION:
      return schema.getRootType(node.operation) ?? undefined;
    case Kind.FIELD: {
      const field = around?.getFields()[node.name.value];
      const type = field && getNamedType(field.type);
      return isObjectType(type) ? type : undefined;
    }
    default: {
      if (node.typeCondition === undefined) return around;
      const type = schema.getType(node.typeCondition.name.value);
      return isObjectType(type) ? type : undefined;
    }
  }
}

/** A column that is shown as it is depends on nobody; whatever is worked out has to say so. */
function isSameForAll(parent: GraphQLObjectType, { type, extensions }: GraphQLField<unknown, unknown>): boolean {
  if (isGuarded(parent.extensions) || isGuarded(extensions)) return false;
  if (extensions.sameForAll !== undefined) return extensions.sameForAll;
  // An object may be shown by its id alone, and is loaded for whoever asks then.
  return extensions.pothosExposedField !== undefined && isLeafType(getNamedType(type));
}

const isGuarded = (extensions: object) =>
  (extensions as { readonly pothosOptions?: { readonly authScopes?: unknown } }).pothosOptions?.authScopes !==
  undefined;
