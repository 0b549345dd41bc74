import { parseExactJson } from '../exact-json.ts';
import { isObject, type Message, revisionOf, rpcError } from './messages.ts';

interface Sending {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Told what comes ahead of the answer. */
  readonly onNotification: (message: Message) => void;
}

/** Code of a refusal that no gateway made. */
const notReached = -32_000;

/**
 * Sends one request to the gateway, with the headers that its generation wants. Whatever keeps it from being answered is
 * an answer, too: the model's host has nowhere else to learn of it.
 */
export async function ask(message: Message, sending: Sending): Promise<Message> {
  const { url, headers, signal } = sending;
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...generationOf(message),
        ...headers,
      },
      body: JSON.stringify(message),
      // A redirect would take the credential along to wherever it leads.
      redirect: 'error',
      signal,
    });
    return await answerIn(response, message, sending);
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = error instanceof Error ? (error.cause ?? error) : error;
    const code = isObject(reason) && typeof reason.code === 'string' ? ` (${reason.code})` : '';
    return rpcError(message.id, notReached, `The gateway at ${url.origin} was not reached, or broke off${code}.`, {
      code: 'NETWORK_ERROR',
      retryable: true,
    });
  }
}

/** What a request of the stateless generation repeats in its headers. */
function generationOf(message: Message): Record<string, string> {
  const revision = revisionOf(message);
  if (revision === undefined) return {};
  const name = message.params?.name;
  return {
    'mcp-protocol-version': revision,
    'mcp-method': message.method!,
    ...(message.method === 'tools/call' && typeof name === 'string' ? { 'mcp-name': headerOf(name) } : {}),
  };
}

/** Names that no header can carry go in base64. */
const headerOf = (name: string): string =>
  /^[\x21-\x7e]+$/.test(name) && !name.startsWith('=?') ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`;

async function answerIn(response: Response, message: Message, { onNotification }: Sending): Promise<Message> {
  const type = response.headers.get('content-type') ?? '';
  if (!type.startsWith('text/event-stream')) {
    const text = await response.text();
    const answer = parsed(text);
    if (isObject(answer) && ('result' in answer || 'error' in answer)) return answer as unknown as Message;
    return rpcError(message.id, notReached, `The gateway answered with HTTP ${response.status} and no message.`, {
      code: isObject(answer) ? answer.code : 'UNEXPECTED_ANSWER',
      body_preview: text.slice(0, 500),
    });
  }
  for await (const one of eventsIn(response)) {
    if (String(one.id) === String(message.id) && one.method === undefined) return one;
    onNotification(one);
  }
  return rpcError(message.id, notReached, 'The gateway broke off before it had answered.', { code: 'NETWORK_ERROR' });
}

function parsed(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

async function* eventsIn(response: Response): AsyncGenerator<Message> {
  let held = '';
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    held += text;
    for (let end = held.indexOf('\n\n'); end !== -1; end = held.indexOf('\n\n')) {
      const data = held
        .slice(0, end)
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n');
      held = held.slice(end + 2);
      const message = data === '' ? undefined : parsed(data);
      if (isObject(message)) yield message as unknown as Message;
    }
  }
}
