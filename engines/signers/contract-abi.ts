import type { AbiFunction, AbiParameter } from 'viem';
import { ExactNumber } from '../../core/exact-json.ts';
import { loadViem, type Viem } from '../chains/rpc-client.ts';
import type { Hex } from '../x402/networks.ts';

/** An ABI, a function of it or its arguments cannot be used so. */
export class AbiFault extends Error {
  override readonly name = 'AbiFault';
  /** The input that is wrong. */
  readonly field: 'abi_fragment' | 'function_name' | 'args';
  /** Signatures that may be meant. */
  readonly signatures: readonly string[];

  constructor(field: AbiFault['field'], message: string, signatures: readonly string[] = []) {
    super(message);
    this.field = field;
    this.signatures = signatures;
  }
}

/** A function of a contract with its arguments. */
export interface EncodedCall {
  /** Its full signature, such as `transfer(address,uint256)`. */
  readonly signature: string;
  readonly isPayable: boolean;
  readonly data: Hex;
  /** What it returned, as JSON: integers beyond 2^53 are texts. @throws AbiFault when it is not what the ABI says */
  readonly decode: (returned: Hex) => unknown;
}

const levelsMax = 8;

/**
 * Encodes a call by the ABI that comes with it. A function that shares its name with others is named by its full signature.
 *
 * @throws AbiFault
 */
export async function encodeCall(
  fragment: readonly unknown[],
  name: string,
  args: readonly unknown[],
): Promise<EncodedCall> {
  const library = await loadViem();
  const chosen = choose(library, functionsOf(fragment), name);
  const signature = library.toFunctionSignature(chosen);
  if (args.length !== chosen.inputs.length)
    throw new AbiFault('args', `${signature} takes ${chosen.inputs.length} arguments, not ${args.length}`);
  const values = chosen.inputs.map((input, at) => argumentOf(library, input, args[at], `args[${at}]`, 0));
  let data: Hex;
  try {
    data = library.encodeFunctionData({ abi: [chosen], args: values });
  } catch (error) {
    throw new AbiFault('args', shortOf(error, 'cannot be encoded by the ABI'));
  }
  return {
    signature,
    isPayable: chosen.stateMutability === 'payable',
    data,
    decode(returned) {
      const { outputs } = chosen;
      if (outputs.length === 0) return null;
      try {
        const decoded = library.decodeAbiParameters(outputs, returned) as readonly unknown[];
        return outputs.length === 1 ? shown(decoded[0]) : decoded.map(shown);
      } catch {
        throw new AbiFault('abi_fragment', 'does not describe what the contract returned');
      }
    },
  };
}

/** Why a call would be reverted, in words: as the contract says, or by the name of its error. */
export async function revertReason(data: Hex | undefined, fragment: readonly unknown[]): Promise<string | null> {
  if (data === undefined || data === '0x') return null;
  const { decodeErrorResult } = await loadViem();
  const errors = fragment.filter((entry) => (entry as { readonly type?: unknown } | null)?.type === 'error');
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: errors as never[], data }) as {
      readonly errorName: string;
      readonly args?: readonly unknown[];
    };
    if (errorName === 'Error') return String(args[0]).slice(0, 500).toWellFormed();
    return `${errorName}(${args.map((one) => JSON.stringify(shown(one))).join(', ')})`.slice(0, 500);
  } catch {
    return null;
  }
}

function functionsOf(fragment: readonly unknown[]): readonly AbiFunction[] {
  const functions = fragment.filter((entry) => (entry as { readonly type?: unknown } | null)?.type === 'function');
  for (const one of functions as Partial<AbiFunction>[]) {
    const { name, inputs = [], outputs = [] } = one;
    if (typeof name !== 'string' || !/^[A-Za-z_$][\w$]{0,255}$/.test(name))
      throw new AbiFault('abi_fragment', 'has a function without a name');
    if (!Array.isArray(inputs) || !Array.isArray(outputs))
      throw new AbiFault('abi_fragment', `describes ${name} otherwise than an ABI does`);
    for (const parameter of [...inputs, ...outputs]) requireParameter(parameter, name, 0);
  }
  return (functions as AbiFunction[]).map((one) => ({ ...one, inputs: one.inputs ?? [], outputs: one.outputs ?? [] }));
}

function requireParameter(given: unknown, name: string, level: number): void {
  const { type, components } = (given ?? {}) as { readonly type?: unknown; readonly components?: unknown };
  const isKnown =
    typeof type === 'string' &&
    level < levelsMax &&
    /^(?:address|bool|string|bytes(?:[1-9]|[12]\d|3[0-2])?|u?int(?:\d{1,3})?|function|tuple)(?:\[\d{0,6}\]){0,4}$/.test(
      type,
    );
  if (!isKnown) throw new AbiFault('abi_fragment', `gives ${name} a parameter of no known type`);
  if (!type.startsWith('tuple')) return;
  if (!Array.isArray(components)) throw new AbiFault('abi_fragment', `gives ${name} a tuple without its components`);
  for (const one of components) requireParameter(one, name, level + 1);
}

function choose({ toFunctionSignature }: Viem, functions: readonly AbiFunction[], name: string): AbiFunction {
  const wanted = name.replaceAll(' ', '');
  const signed = functions.map((one) => ({ one, signature: toFunctionSignature(one) }));
  const exact = signed.find(({ signature }) => signature === wanted);
  if (exact !== undefined) return exact.one;
  const named = signed.filter(({ one }) => one.name === wanted);
  if (named.length === 1) return named[0]!.one;
  const signatures = [...new Set((named.length > 0 ? named : signed).map(({ signature }) => signature))];
  if (named.length > 0 && signatures.length === 1) return named[0]!.one;
  throw new AbiFault(
    'function_name',
    named.length === 0
      ? `the ABI has no function ${name}`
      : `${name} is the name of ${named.length} functions: name one by its full signature`,
    signatures,
  );
}

/** A value of JSON as the library encodes it. A number that JSON may have changed on its way is refused. */
function argumentOf(library: Viem, parameter: AbiParameter, given: unknown, at: string, level: number): unknown {
  const { type } = parameter;
  const refuse = (reason: string) => new AbiFault('args', `${at}: ${reason}`);
  const array = /^(.*)\[(\d*)\]$/.exec(type);
  if (array !== null) {
    if (!Array.isArray(given)) throw refuse(`must be a list, for ${type}`);
    const [, inner, length] = array as unknown as readonly [string, string, string];
    if (length !== '' && given.length !== Number(length)) throw refuse(`must have ${length} entries, for ${type}`);
    const one = { ...parameter, type: inner } as AbiParameter;
    return given.map((value, place) => argumentOf(library, one, value, `${at}[${place}]`, level));
  }
  if (type === 'tuple') return tupleOf(library, parameter, given, at, level);
  if (type.startsWith('uint') || type.startsWith('int')) {
    if (typeof given === 'number' && Number.isSafeInteger(given)) return BigInt(given);
    if (typeof given === 'number' || given instanceof ExactNumber)
      throw refuse('a number that JSON cannot hold exactly: give it as a text of decimal digits');
    if (typeof given !== 'string' || !/^(?:-?\d{1,78}|0x[0-9a-f]{1,64})$/i.test(given))
      throw refuse(`must be a whole number, or a text of its decimal digits, for ${type}`);
    return BigInt(given);
  }
  if (type === 'bool') {
    if (typeof given !== 'boolean') throw refuse('must be true or false');
    return given;
  }
  if (typeof given !== 'string') throw refuse(`must be a text, for ${type}`);
  if (type === 'address' && !library.isAddress(given)) throw refuse('is no address, or its checksum is wrong');
  if (type.startsWith('bytes') && !/^0x(?:[0-9a-f]{2})*$/i.test(given))
    throw refuse('must be hexadecimal: 0x and pairs of digits');
  return given;
}

function tupleOf(library: Viem, parameter: AbiParameter, given: unknown, at: string, level: number): unknown {
  const components = (parameter as { readonly components: readonly AbiParameter[] }).components;
  if (Array.isArray(given) && given.length !== components.length)
    throw new AbiFault('args', `${at}: must have ${components.length} entries`);
  if (typeof given !== 'object' || given === null) throw new AbiFault('args', `${at}: must be an object or a list`);
  const values = components.map((one, place) =>
    argumentOf(
      library,
      one,
      Array.isArray(given) ? given[place] : (given as Readonly<Record<string, unknown>>)[one.name ?? ''],
      `${at}.${one.name ?? place}`,
      level + 1,
    ),
  );
  // The library takes an object where every component has a name, else a list.
  return components.every(({ name }) => name !== undefined && name !== '')
    ? Object.fromEntries(components.map(({ name }, place) => [name!, values[place]]))
    : values;
}

/** What was decoded, as JSON. */
function shown(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shown(one)]));
  return value;
}

const shortOf = (error: unknown, otherwise: string): string =>
  error instanceof Error && 'shortMessage' in error ? String(error.shortMessage).slice(0, 300) : otherwise;
