import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type ConsolePage, type OpenOptions, startConsoleStage } from '../helpers/console-page.ts';
import type { ServiceOptions } from '../helpers/service.ts';
import { notes, tasks } from '../live/live-project.ts';

/** A stage of the console, with an organization and a project. */
export async function startConsoleWorld(options: ServiceOptions = {}) {
  const { service, open } = await startConsoleStage(options);
  const project = await service.project();
  const { wallet, orgId, projectId, serviceKey } = project;

  /** Sends what has to go well. */
  async function post(path: string, body: object, actor: Parameters<typeof service.call>[0] = wallet) {
    const answer = await service.call<Record<string, string>>(actor, 'POST', path, { body });
    expect(answer).toMatchObject({ status: expect.toSatisfy((status: number) => status < 300) });
    return answer.body;
  }

  const key = service.actors.bearer(serviceKey);
  const run = (sql: string) => post(`/projects/v1/admin/${projectId}/sql`, { sql }, key);

  return {
    service,
    wallet,
    orgId,
    projectId,
    /** The project with its keys. */
    project,
    /** Whoever has the project's service key. */
    key,
    post,
    /** Runs statements in the project. */
    run,

    /** Makes the project's tables. */
    async tables() {
      await run(`create table notes (id bigint generated always as identity primary key, body text);
        create table tasks (id bigint generated always as identity primary key, user_id uuid, body text)`);
      await post(`/projects/v1/admin/${projectId}/expose`, { version: 1, tables: [notes, tasks] }, key);
    },

    /** The console of somebody who is not in yet. */
    open,

    /** The console of an owner of the organization, or of a member with another role. */
    async asOwner(more: OpenOptions = {}, role = 'owner'): Promise<ConsolePage> {
      const opened = await open(more);
      await opened.visit('');
      await opened.enter();
      const body = { wallet: await opened.address(), role };
      const added = await service.call(wallet, 'POST', `/orgs/v1/${orgId}/members`, { body });
      expect(added.status).toBeLessThan(300);
      return opened;
    },
  };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violations {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/**
 * Runs axe. React Aria announces a busy button by its id for seconds, also after its dialog has closed. Completions are
 * moved through by the arrow keys of the editor, and hold no focus of their own.
 */
const runAxe = `(async () => {
  for (let run = 1; ; run += 1) {
    // While a part fades in, its colours are not its own. An animation without an end would never finish.
    await Promise.all(document.getAnimations().map((one) =>
      Number.isFinite(one.effect.getComputedTiming().endTime) ? one.finished.catch(() => {}) : one.cancel()));
    let moves = false;
    const note = () => { moves = true; };
    addEventListener('animationstart', note, true);
    const found = await axe.run(
      { exclude: [["[data-live-announcer]"], { fromShadowDom: [".editor", ".cm-tooltip-autocomplete"] }] },
      { resultTypes: ["violations"] });
    removeEventListener('animationstart', note, true);
    // A part that began to fade in meanwhile is looked at again.
    if (!moves || found.violations.length === 0 || run === 5) return found;
  }
})()`;

/** What of a page stands in the way of people who see, hear or move otherwise. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate<Violations>(runAxe);
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${page.url()} ${id}: ${html}`));
}

/** Waits until the browser keeps that the last message in the page was seen: a moment after it is shown. */
export async function hasSeenLast(page: Page): Promise<void> {
  const last = await page.locator('[data-message]').last().getAttribute('data-message');
  await expect.poll(() => page.evaluate<string>('JSON.stringify({ ...localStorage })')).toContain(last);
}

/** Finds text that its box cuts off, and words that are broken in two. Ids and other long words may be broken. */
const findUnreadable = `(() => {
  const seen = (element) => element.checkVisibility() && element.closest('.seen-by-readers') === null;
  const cut = [...document.querySelectorAll('main *')].filter((element) => {
    const { overflowX, textOverflow } = getComputedStyle(element);
    return overflowX === 'hidden' && textOverflow !== 'ellipsis' && element.scrollWidth > element.clientWidth
      // A part of one pixel is for screen readers.
      && element.clientWidth > 1 && element.textContent !== '' && seen(element);
  });
  const broken = [];
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    if (!seen(node.parentElement)) continue;
    for (const { 0: word, index } of node.data.matchAll(/(?<![\\p{L}\\p{N}_])[\\p{L}\\p{N}]{2,20}(?![\\p{L}\\p{N}_])/gu)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
    }
  }
  return [...cut.map((element) => 'cut: ' + element.className + ' ' + element.textContent), ...broken.map((word) => 'broken: ' + word)];
})()`;

/** What of a page's text cannot be read as it was written. */
export const unreadable = async (page: Page): Promise<string[]> =>
  (await page.evaluate<string[]>(findUnreadable)).map((found) => `${page.url()} ${found}`);
