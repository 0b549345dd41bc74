import type { AnswerHead } from './inside/calls.ts';
import { FrameError, headersMax } from './inside/frames.ts';
import type { Report } from './inside/runtime.ts';
import type { FunctionError } from './runner.ts';

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isHeader = (value: unknown): value is [string, string] =>
  Array.isArray(value) &&
  value.length === 2 &&
  typeof value[0] === 'string' &&
  typeof value[1] === 'string' &&
  token.test(value[0]) &&
  fieldValue.test(value[1]);

const textOf = (value: unknown, most: number): string => (typeof value === 'string' ? value.slice(0, most) : '');

const errorOf = (value: unknown): FunctionError => {
  const { name, message, stack }: Fields = isFields(value) ? value : {};
  return { name: textOf(name, 200) || 'Error', message: textOf(message, 1_000), stack: textOf(stack, 8_192) };
};

/**
 * The head of a message from a box, which may say anything at all.
 *
 * @throws FrameError
 */
export function readReport(head: unknown): Report | AnswerHead {
  if (!isFields(head)) throw new FrameError('The head of a message is no object.');
  switch (head.type) {
    case 'ready':
    case 'loaded':
    case 'piece':
    case 'end':
    case 'too_large':
      return { type: head.type };
    case 'load_failed':
    case 'crashed':
    case 'threw':
      return { type: head.type, error: errorOf(head.error) };
    case 'head': {
      const { status, headers } = head;
      if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599)
        throw new FrameError('An answer has an impossible status.');
      if (!Array.isArray(headers) || headers.length > headersMax || !headers.every(isHeader))
        throw new FrameError('An answer has impossible headers.');
      return { type: 'head', status, headers };
    }
    default:
      throw new FrameError('A message is of an unknown kind.');
  }
}
