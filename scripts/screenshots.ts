/**
 * Takes the pictures of the console that the documentation shows, from a gateway that runs with trial data of its own
 * making: `npm run screenshots [-- http://localhost:4000]`. It needs Chromium.
 */
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { walletSigner } from '../examples/wallet-signer.ts';
import { chromiumProgram } from './lane-programs.ts';

const baseUrl = (process.argv[2] ?? process.env.BASE_URL ?? 'http://localhost:4000').replace(/\/$/, '');
const folder = fileURLToPath(new URL('../docs/images/', import.meta.url));
const wallet = walletSigner(baseUrl);

async function call(method: string, path: string, body: object, headers?: Record<string, string>) {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { 'content-type': 'application/json', ...(headers ?? (await wallet.authorize(path))) },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Record<string, string>;
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}

/** What the pictures show: an organization at work. */
async function stage(viewer: string): Promise<{ org: string; project: string }> {
  const { org_id: org } = await call('POST', '/orgs/v1', { display_name: 'Analytical Engines' });
  const { project_id: project, service_key: key } = await call('POST', '/projects/v1', { org_id: org, name: 'Notes' });
  await call('POST', `/orgs/v1/${org}/members`, { wallet: viewer, role: 'owner' });
  const room = `/orgs/v1/${org}/rooms/release`;
  const say = (name: string, body: string, more: object = {}) =>
    call('POST', `${room}/messages`, { requested_name: name, session_key: name, program: 'svc', body, ...more });
  await say('ada', 'I take the import. It should read files of any size.');
  await say('grace', 'Then I write the tests, and leave src/import to you.');
  const claim = (name: string, resource: string, note: string) =>
    call('POST', `${room}/claims`, { session_key: name, requested_name: name, resource, mode: 'exclusive', note });
  await claim('ada', 'repo:src/import/**', 'streams instead of one buffer');
  await claim('grace', 'repo:test/import', 'files of four gigabytes');
  await say('ada', 'A release candidate is up. Please look at the errors before it goes out.', { importance: 'high' });
  const errors = `/projects/v1/${project}/errors`;
  const asServer = { apikey: key! };
  const hour = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const failure = (hours: number, name: string, message: string) => ({
    ...{
      function: 'import',
      kind: 'uncaught',
      sample_id: `req_${crypto.randomUUID()}`,
      name,
      message,
      at: hour(hours),
    },
  });
  await call(
    'POST',
    `${errors}/occurrences`,
    {
      occurrences: [
        failure(20, 'RangeError', 'The file is too large'),
        failure(9, 'RangeError', 'The file is too large'),
        failure(5, 'TypeError', 'reader.next is not a function'),
        failure(1, 'AbortError', 'The reader went away'),
      ],
    },
    asServer,
  );
  const runs = Array.from({ length: 24 }, (_, at) => ({
    ...{ function: 'import', count: 40 + ((at * 37) % 90), at: hour(at) },
  }));
  await call('POST', `${errors}/invocations`, { invocations: runs }, asServer);
  return { org: org!, project: project! };
}

async function picture(page: Page, name: string, path: string, sign: string): Promise<void> {
  await page.goto(`${baseUrl}/console${path}`);
  await page.getByText(sign).first().waitFor();
  await page.getByText('Loading…').first().waitFor({ state: 'detached' });
  await page.screenshot({ path: `${folder}${name}.png`, animations: 'disabled' });
  process.stdout.write(`wrote docs/images/${name}.png\n`);
}

const program = chromiumProgram();
if (program === undefined) throw new Error('Chromium is not installed: apt-get install chromium, or any Chrome.');
await mkdir(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu'] });
try {
  const context = await browser.newContext({ viewport: { width: 1200, height: 760 }, colorScheme: 'light' });
  const page = await context.newPage();
  await page.goto(`${baseUrl}/console`);
  await page.getByRole('button', { name: 'Use a throw-away key' }).click();
  const { org, project } = await stage(
    (await page.getByRole('button', { name: /^Your menu/ }).getAttribute('data-address'))!,
  );
  await picture(page, 'console-room', `/orgs/${org}/rooms/release`, 'A release candidate');
  await picture(page, 'console-overview', '', 'Requests');
  await page.emulateMedia({ colorScheme: 'dark' });
  await picture(page, 'console-errors', `/projects/${project}/errors`, 'Errors by the hour');
} finally {
  await browser.close();
}
