import type { ManifestRpc } from './manifest-shape.ts';
import type { Arity } from './snippets.ts';
import { readSignature } from './snippets.ts';

/** A function as far as a signature tells it from its namesakes. */
export interface Overload {
  readonly name: string;
  /** Null when they could not be found out. */
  readonly types: readonly string[] | null;
  readonly names: readonly string[];
  readonly takes: Arity;
}

/**
 * The functions that an rpc of a manifest means: the one that takes exactly its types; or those whose arguments are
 * called so, for a signature such as `(user_id)` that has names alone.
 */
export function functionsFor<Known extends Overload>(
  { name, signature }: ManifestRpc,
  known: readonly Known[],
): Known[] {
  const wanted = readSignature(signature) ?? [];
  const namesakes = known.filter((one) => one.name === name);
  const types = wanted.map(({ type }) => type);
  const exact = namesakes.filter((one) => one.types !== null && alike(one.types, types));
  if (exact.length > 0 || wanted.length === 0) return exact;
  if (wanted.some((one) => one.name !== undefined)) return [];
  return namesakes.filter((one) => alike(one.names, types));
}

const alike = (left: readonly string[], right: readonly string[]) =>
  left.length === right.length && left.every((one, index) => one === right[index]);
