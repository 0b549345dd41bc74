import {
  GraphQLInputObjectType,
  type GraphQLInputObjectTypeConfig,
  type GraphQLNamedType,
  GraphQLObjectType,
  type GraphQLObjectTypeConfig,
  GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import type { SlicedWork } from '../../core/slices.ts';

/*
 * GraphQLSchema walks every field of every type when it is made, and has all of them made meanwhile, in one go. For a
 * large project that is half a second. Here the fields are made and the types gathered a type at a time; the schema is
 * then given all of its types, and while it is made they show it no fields, so it has nothing left to walk.
 */

/** Whether the schema to which some types belong is being made just now. */
export class Joining {
  isUnderWay = false;
}

const none = Object.freeze({});

export class GatheredObjectType extends GraphQLObjectType {
  readonly #joining: Joining;

  constructor(joining: Joining, config: GraphQLObjectTypeConfig<unknown, unknown>) {
    super(config);
    this.#joining = joining;
  }

  override getFields(): ReturnType<GraphQLObjectType['getFields']> {
    return this.#joining.isUnderWay ? none : super.getFields();
  }
}

export class GatheredInputObjectType extends GraphQLInputObjectType {
  readonly #joining: Joining;

  constructor(joining: Joining, config: GraphQLInputObjectTypeConfig) {
    super(config);
    this.#joining = joining;
  }

  override getFields(): ReturnType<GraphQLInputObjectType['getFields']> {
    return this.#joining.isUnderWay ? none : super.getFields();
  }
}

export interface RootTypes {
  readonly query: GraphQLObjectType;
  readonly mutation: GraphQLObjectType | null;
  readonly subscription: GraphQLObjectType | null;
}

/** Makes a schema of gathered types: every type that its roots lead to. */
export function* joinedSchema(joining: Joining, roots: RootTypes): SlicedWork<GraphQLSchema> {
  const types = new Set<GraphQLNamedType>();
  const add = (type: GraphQLType) => types.add(getNamedType(type));
  for (const root of [roots.query, roots.mutation, roots.subscription]) if (root !== null) types.add(root);
  // A set is walked on to what is added meanwhile.
  for (const type of types) {
    if (isObjectType(type))
      for (const field of Object.values(type.getFields())) {
        add(field.type);
        for (const arg of field.args) add(arg.type);
      }
    else if (isInputObjectType(type)) for (const field of Object.values(type.getFields())) add(field.type);
    yield;
  }
  joining.isUnderWay = true;
  try {
    // Made of the catalogs by rules that make nothing else; checking it takes longer than making it.
    return new GraphQLSchema({ ...roots, types: [...types], assumeValid: true });
  } finally {
    joining.isUnderWay = false;
  }
}
