import type { InputFieldMap } from '@pothos/core';
import { builder } from './builder.ts';

/** What makes the fields of an input. */
export type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0];

const made = new Map<string, { readonly ref: ReturnType<typeof make>; readonly names: string }>();

const make = (name: string, description: string, fields: (t: InputFields) => InputFieldMap) =>
  builder.inputType(name, { description, fields });

/** A type of input, which several operations may share. @throws when they do not take the same */
export function inputTypeOf(
  { name, description }: { readonly name: string; readonly description: string },
  fields: (t: InputFields) => InputFieldMap,
  names: readonly string[],
) {
  const told = JSON.stringify([description, names]);
  const known = made.get(name);
  if (known !== undefined && known.names !== told) throw new Error(`${name} is two types of input.`);
  const ref = known?.ref ?? make(name, description, fields);
  made.set(name, { ref, names: told });
  return ref;
}
