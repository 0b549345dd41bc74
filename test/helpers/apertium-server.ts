import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

/** What Apertium calls languages. */
const names: Readonly<Record<string, string>> = { en: 'eng', es: 'spa' };

const asked = z.object({ messages: z.array(z.object({ content: z.string() })).min(1) });
const wanted = z.object({ text: z.string(), to: z.string(), from: z.string() });

const execute = promisify(execFile);

/** Runs the translator. It reads the text from a file, since it does not read from the sockets that Node gives to children. */
async function translated(mode: string, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-apertium-'));
  try {
    const file = join(folder, 'text');
    await writeFile(file, text);
    const { stdout } = await execute('apertium', ['-u', mode, file], { timeout: 60_000 });
    return stdout.replace(/\n$/, '');
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Apertium behind the API of OpenAI: a translator with rules and dictionaries, which no text can talk to. */
export async function startApertiumServer() {
  const server = createServer(async (request, response) => {
    const reply = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (request.url === '/v1/models')
      return reply(200, { object: 'list', data: [{ id: 'apertium', object: 'model' }] });
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk as string;
    const { messages } = asked.parse(JSON.parse(body));
    const { text, from, to } = wanted.parse(JSON.parse(messages.at(-1)!.content));
    const mode = [from, to].map((language) => names[language]).join('-');
    try {
      const content = JSON.stringify({ translation: await translated(mode, text), from });
      reply(200, { choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] });
    } catch {
      reply(500, { error: { message: 'The pair of languages is not installed.', type: 'server_error' } });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    env: { AI_TRANSLATE_URL: url, AI_TRANSLATE_MODEL: 'apertium' },
    close: () =>
      new Promise<void>((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}
