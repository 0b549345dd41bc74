import { parseSql, type SqlNode, SqlSyntaxError } from '../sql/parse-sql.ts';

/** An argument of a function, as a signature names it. */
export interface Argument {
  readonly name: string | undefined;
  /** The catalog's own name of the type, with `[]` for an array: `int4`, `text[]`. */
  readonly type: string;
}

/** The one statement that a text is; undefined when it is none or several. */
export function onlyStatement(text: string): SqlNode | undefined {
  try {
    const statements = parseSql(text);
    return statements.length === 1 ? statements[0]!.node : undefined;
  } catch (error) {
    if (error instanceof SqlSyntaxError) return undefined;
    throw error;
  }
}

/** Whether a text is an expression and nothing besides, so that it can stand in brackets. */
export function isExpression(text: string): boolean {
  // The line's end closes a comment that would swallow the bracket.
  const node = onlyStatement(`select from t where (${text}\n)`);
  if (node === undefined || !('SelectStmt' in node)) return false;
  const known = new Set(['fromClause', 'whereClause', 'limitOption', 'op']);
  return node.SelectStmt.op === 'SETOP_NONE' && Object.keys(node.SelectStmt).every((key) => known.has(key));
}

/** The arguments that a call of a function is given, by a signature such as `(user_id uuid, n int default 1)`. */
export function readSignature(signature: string): readonly Argument[] | undefined {
  const node = onlyStatement(`create function f${signature} returns int language sql as ''`);
  if (node === undefined || !('CreateFunctionStmt' in node)) return undefined;
  // What comes after the brackets is this program's: a signature that brings its own is none.
  if (node.CreateFunctionStmt.options?.length !== 2 || typeNameOf(node.CreateFunctionStmt.returnType) !== 'int4')
    return undefined;
  return argumentsOf(node.CreateFunctionStmt.parameters ?? []);
}

const inputModes = new Set(['FUNC_PARAM_IN', 'FUNC_PARAM_INOUT', 'FUNC_PARAM_VARIADIC', 'FUNC_PARAM_DEFAULT']);

/** Of the parameters of a function, those that a call is given. */
export const argumentsOf = (parameters: readonly SqlNode[]): Argument[] =>
  parameters.flatMap((parameter) => {
    if (!('FunctionParameter' in parameter)) return [];
    const { name, argType, mode } = parameter.FunctionParameter;
    return inputModes.has(mode ?? 'FUNC_PARAM_IN') ? [{ name, type: typeNameOf(argType) }] : [];
  });

/** How many arguments a call may give of the parameters of a function. */
export function arityOf(parameters: readonly SqlNode[]): Arity {
  const inputs = parameters.flatMap((one) =>
    'FunctionParameter' in one && inputModes.has(one.FunctionParameter.mode ?? 'FUNC_PARAM_IN')
      ? [one.FunctionParameter]
      : [],
  );
  const least = inputs.filter(({ defexpr }) => defexpr === undefined).length;
  return { least, most: inputs.some(({ mode }) => mode === 'FUNC_PARAM_VARIADIC') ? null : inputs.length };
}

interface TypeNode {
  readonly names?: readonly SqlNode[];
  readonly arrayBounds?: readonly SqlNode[];
}

/** A type as the catalog calls it; its schema only where that is neither PostgreSQL's nor the tenant's. */
export function typeNameOf(type: TypeNode | undefined): string {
  const names = (type?.names ?? []).flatMap((one) => ('String' in one ? [one.String.sval ?? ''] : []));
  const plain = names.length > 1 && ['pg_catalog', 'public'].includes(names[0]!) ? names.slice(1) : names;
  const known = plain.length === 1 ? (longNames[plain[0]!] ?? plain[0]!) : plain.join('.');
  return (type?.arrayBounds?.length ?? 0) > 0 ? `${known}[]` : known;
}

/** Types that are words for others. */
const longNames: Readonly<Record<string, string>> = {
  bigserial: 'int8',
  serial8: 'int8',
  serial: 'int4',
  serial4: 'int4',
  smallserial: 'int2',
  serial2: 'int2',
};

/** How many arguments a call may give; `most` is null where there is no end to them. */
export interface Arity {
  readonly least: number;
  readonly most: number | null;
}
