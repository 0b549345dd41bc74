import { headersMax } from '../compile/bounds.ts';
import { answerColumns } from '../compile/document.ts';
import { refusals } from '../errors.ts';
import type { AnswerRow, RowAnswer } from './row-plan.ts';

/** Headers that a project's SQL may set: none that means something to the platform, a proxy or a browser's security. */
const settable = /^(x-(?!svc-)[a-z0-9-]+|retry-after|content-language|link)$/i;

/** The headers among these that a project's SQL may set. @throws PGRST111 for more than a client would read */
export function settableHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const settables = Object.entries(headers).filter(
    ([name, value]) => settable.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
  );
  if (settables.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > headersMax)
    throw refusals.responseHeaders();
  return Object.fromEntries(settables);
}

/**
 * What a function or a trigger said about its answer in `response.status` and `response.headers`. The statement itself
 * has judged them: what is wrong with them undoes it.
 */
export function withTenantResponse(answer: RowAnswer, row: AnswerRow): RowAnswer {
  const status = row[answerColumns.status] ?? undefined;
  const headers = row[answerColumns.headers] ?? undefined;
  if (status === undefined && headers === undefined) return answer;
  const said: Record<string, string>[] = headers === undefined ? [] : JSON.parse(headers);
  return {
    ...answer,
    ...(status === undefined ? {} : { status: Number(status) }),
    headers: { ...answer.headers, ...settableHeaders(Object.assign({}, ...said)) },
  };
}
