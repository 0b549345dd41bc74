import type { InputFieldMap } from '@pothos/core';
import { z } from 'zod';
import { inlined } from '../core/inlined-schema.ts';
import type { AnyOperation } from '../kernel/run/operation.ts';
import { nativeId } from './global-id.ts';
import { camelCase, type Form, knownIds, listed, scalarOf, textOf, withoutNull } from './input-forms.ts';
import { type InputFields, inputTypeOf } from './input-types.ts';

/** One of the graph's enumerations, whose values the operation takes. */
interface EnumInput<Value> {
  readonly kind: 'Enum';
  readonly name: string;
  readonly $inferInput: Value;
}

/** An object within an input, which is a type of its own. */
export interface NestedInput<Value = Named> extends InputExceptions<Value> {
  readonly name: string;
  readonly description: string;
}

/** A type for an input: by its name, one of the graph's enumerations, or the type of an object; of a list its elements'. */
type GraphInput<Value = unknown> = 'ID' | 'String' | 'Int' | 'Float' | EnumInput<Value> | NestedInput<Value>;

type Named = Readonly<Record<string, unknown>>;
/** What is not null in an input; of a list its elements. */
type Single<Value> = NonNullable<Value> extends readonly (infer Item)[] ? Item : NonNullable<Value>;

/** Where the graph takes an input otherwise than the operation's schema says. */
export interface InputExceptions<Input = Named> {
  /** Inputs that are ids, with the node whose global id is taken, too; null: the thing is no node. See `knownIds`. */
  readonly ids?: { readonly [Name in keyof Input]?: string | null };
  /** What inputs are called. @default the operation's own names in camel case */
  readonly rename?: { readonly [Name in keyof Input]?: string };
  /** Inputs that the graph does not take, or that a field adds by hand. */
  readonly omit?: readonly (keyof Input)[];
  /** Inputs that have to be given, though the operation does without. */
  readonly required?: readonly (keyof Input)[];
  /** Types of enumerations and of objects, which have names in the graph; and of what the schema says too little about. */
  readonly types?: { readonly [Name in keyof Input]?: GraphInput<Single<Input[Name]>> };
  /** What is said of an input where the operation's own words do not hold in the graph. */
  readonly describe?: { readonly [Name in keyof Input]?: string };
}

/** What an operation is given, as the graph spells it. */
interface Derived {
  /** The graph's names, by the operation's own. */
  readonly names: Readonly<Record<string, string>>;
  readonly fields: (t: InputFields) => InputFieldMap;
  /** The operation's input, from what the graph was given. */
  readonly read: (given: object) => Record<string, unknown>;
}

/** One input: how it is declared, and how its value is read. */
interface Member {
  readonly name: string;
  readonly shown: string;
  readonly takesNull: boolean;
  readonly declare: (t: InputFields) => InputFieldMap[string];
  readonly convert?: (value: never) => unknown;
}

/** Derives from the schema of an operation what the graph takes for it. @throws for an input whose type has no name yet */
export function derive(op: Pick<AnyOperation, 'name' | 'input'>, exceptions: InputExceptions): Derived {
  const form = z.toJSONSchema(z.object(op.input.shape), { io: 'input', unrepresentable: 'any' });
  return deriveObject(op.name, inlined(form) as Form, exceptions);
}

function deriveObject(of: string, { properties = {}, required = [] }: Form, exceptions: InputExceptions): Derived {
  const constants: Record<string, unknown> = {};
  const members: Member[] = [];
  const shownNames = Object.fromEntries(
    Object.keys(properties).map((name) => [name, exceptions.rename?.[name] ?? knownIds[name]?.as ?? camelCase(name)]),
  );
  for (const [name, form] of Object.entries(properties)) {
    if (exceptions.omit?.includes(name) === true) continue;
    const isRequired = required.includes(name);
    // What can only be one value is no question.
    if (form.const !== undefined && isRequired) constants[name] = form.const;
    else members.push(memberOf(`${of} ${name}`, name, form, isRequired, { shownNames, exceptions }));
  }
  return {
    names: Object.fromEntries(members.map(({ name, shown }) => [name, shown])),
    fields: (t) => Object.fromEntries(members.map(({ shown, declare }) => [shown, declare(t)])),
    read: readerOf(members, constants),
  };
}

interface Around {
  readonly shownNames: Readonly<Record<string, string>>;
  readonly exceptions: InputExceptions;
}

function memberOf(at: string, name: string, form: Form, isRequired: boolean, around: Around): Member {
  const { shownNames, exceptions } = around;
  const { form: whole, takesNull } = withoutNull(form);
  const { form: one, isList, takesNullItems } = listed(whole);
  const known = knownIds[name];
  const node = exceptions.ids?.[name] === undefined ? known?.of : exceptions.ids[name];
  const given = exceptions.types?.[name] ?? (node === undefined ? undefined : (known?.type ?? 'ID'));
  const type = given ?? scalarOf(one);
  if (type === undefined)
    throw new Error(`${at} is an enumeration or an object: name its type in the graph in \`types\``);
  const nested = typeof type === 'string' || 'kind' in type ? undefined : deriveObject(at, one, type);
  const description =
    exceptions.describe?.[name] ??
    textOf(form.description ?? '', valuesOf(type, one), shownNames, type === 'ID' && node != null);
  const must = exceptions.required?.includes(name) === true || (isRequired && !takesNull);
  const convert = converterOf(type, node, nested);
  return {
    name,
    shown: shownNames[name]!,
    takesNull,
    declare(t) {
      const ref =
        nested === undefined ? type : inputTypeOf(type as NestedInput, nested.fields, Object.values(nested.names));
      const options = isList
        ? { type: [ref], required: { list: must, items: !takesNullItems }, description }
        : { type: ref, required: must, description };
      return t.field(options as never);
    },
    ...(convert && { convert: isList ? (values: readonly never[]) => values.map(convert) : convert }),
  };
}

/** What the values of an enumeration are called by the operation; none where the graph has no such type. */
const valuesOf = (type: GraphInput | string, form: Form): readonly unknown[] =>
  typeof type === 'object' && 'kind' in type ? (form.enum ?? [form.const]) : [];

function converterOf(type: GraphInput | string, node: string | null | undefined, nested: Derived | undefined) {
  if (nested !== undefined) return nested.read as (value: never) => unknown;
  if (type === 'DateTime') return (moment: Date) => moment.toISOString();
  if (node != null) return (id: string) => nativeId(node, id);
  return undefined;
}

/** Null is an absent input, but where the operation has a meaning for it. What is null in the caller's own JSON stays. */
const readerOf =
  (members: readonly Member[], constants: Readonly<Record<string, unknown>>) =>
  (given: object): Record<string, unknown> => {
    const input: Record<string, unknown> = { ...constants };
    for (const { name, shown, takesNull, convert } of members) {
      const value = (given as Readonly<Record<string, unknown>>)[shown];
      if (value === undefined || (value === null && !takesNull)) continue;
      input[name] = value === null || convert === undefined ? value : convert(value as never);
    }
    return input;
  };
