import { refusals } from '../errors.ts';

/** How an answer is written. */
export interface AnswerFormat {
  readonly kind: 'json' | 'object' | 'csv';
  /** Members that are null are left out. */
  readonly stripNulls: boolean;
  readonly contentType: string;
}

const jsonType = 'application/json; charset=utf-8';

interface Accepted {
  readonly type: string;
  readonly parameters: readonly string[];
  readonly quality: number;
}

/**
 * The first format that a client accepts and that can be given. Every JSON answer is labelled `application/json`,
 * since clients read an answer as JSON by that word alone. Contract 01, section 1.1.
 *
 * @throws PGRST107 when there is none
 */
export function negotiate(accept: string | undefined): AnswerFormat {
  const accepted = readAccept(accept ?? '*/*');
  for (const one of accepted) {
    const format = formatOf(one);
    if (format !== undefined) return format;
  }
  throw refusals.mediaType(accepted.map(({ type, parameters }) => [type, ...parameters].join(';')));
}

function readAccept(accept: string): Accepted[] {
  const accepted = accept.split(',').flatMap((part): Accepted[] => {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = weight === undefined ? 1 : Number.parseFloat(weight.slice(2));
    if (type === '' || !(quality > 0)) return [];
    return [{ type, parameters: parameters.filter((parameter) => parameter !== weight), quality }];
  });
  // Sorting keeps the order of equals.
  return accepted.sort((left, right) => right.quality - left.quality);
}

function formatOf({ type, parameters }: Accepted): AnswerFormat | undefined {
  const stripNulls = parameters.includes('nulls=stripped');
  switch (type) {
    case '*/*':
    case 'application/*':
    case 'application/json':
      return { kind: 'json', stripNulls: false, contentType: jsonType };
    case 'application/vnd.pgrst.array':
    case 'application/vnd.pgrst.array+json':
      return { kind: 'json', stripNulls, contentType: jsonType };
    case 'application/vnd.pgrst.object':
    case 'application/vnd.pgrst.object+json':
      return { kind: 'object', stripNulls, contentType: jsonType };
    case 'text/csv':
      return { kind: 'csv', stripNulls: false, contentType: 'text/csv; charset=utf-8' };
    default:
      return undefined;
  }
}

/** The kinds of body that are read. */
export type BodyKind = 'json' | 'csv' | 'form' | 'text' | 'xml' | 'bytes';

const bodyKinds: Readonly<Record<string, BodyKind>> = {
  'application/json': 'json',
  'application/vnd.pgrst.object': 'json',
  'application/vnd.pgrst.object+json': 'json',
  'application/vnd.pgrst.array': 'json',
  'application/vnd.pgrst.array+json': 'json',
  'text/csv': 'csv',
  'application/x-www-form-urlencoded': 'form',
  'text/plain': 'text',
  'text/xml': 'xml',
  'application/octet-stream': 'bytes',
};

/** @throws PGRST102 for a type that is not read; without one a body is JSON */
export function bodyKindOf(contentType: string | undefined): BodyKind {
  const type = (contentType ?? '').split(';')[0]!.trim().toLowerCase();
  if (type === '') return 'json';
  const kind = Object.hasOwn(bodyKinds, type) ? bodyKinds[type] : undefined;
  if (kind === undefined) throw refusals.body(`Content-Type not acceptable: ${type}`);
  return kind;
}
