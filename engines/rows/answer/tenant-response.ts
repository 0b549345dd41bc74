import { answerColumns } from '../compile/document.ts';
import { refusals } from '../errors.ts';
import type { AnswerRow, RowAnswer } from './row-plan.ts';

/** Headers that a project's SQL may set: none that means something to the platform, a proxy or a browser's security. */
const settable = /^(x-(?!svc-)[a-z0-9-]+|retry-after|content-language|link)$/i;

/** The headers among these that a project's SQL may set. */
export const settableHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => settable.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)),
  );

/**
 * What a function or a trigger said about its answer in `response.status` and `response.headers`.
 *
 * @throws PGRST111, PGRST112
 */
export function withTenantResponse(answer: RowAnswer, row: AnswerRow): RowAnswer {
  const status = row[answerColumns.status] ?? undefined;
  const headers = row[answerColumns.headers] ?? undefined;
  if (status === undefined && headers === undefined) return answer;
  if (status !== undefined && !/^[2-5]\d\d$/.test(status)) throw refusals.responseStatus();
  return {
    ...answer,
    ...(status === undefined ? {} : { status: Number(status) }),
    headers: { ...answer.headers, ...(headers === undefined ? {} : settableHeaders(readHeaders(headers))) },
  };
}

function readHeaders(text: string): Record<string, string> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refusals.responseHeaders();
  }
  if (!Array.isArray(value) || !value.every(isHeader)) throw refusals.responseHeaders();
  return Object.assign({}, ...value);
}

const isHeader = (one: unknown): one is Record<string, string> =>
  typeof one === 'object' &&
  one !== null &&
  Object.keys(one).length === 1 &&
  Object.values(one).every((value) => typeof value === 'string');
