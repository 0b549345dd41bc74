import type { PageConfig } from '../page-config.ts';
import { Gateway } from './gateway.ts';

interface Note {
  readonly id: string;
  readonly body: string;
}

const config: PageConfig = await (await fetch('/_svc/config.json')).json();
const gateway = await Gateway.open(config);

const byId = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind;
const entry = byId<HTMLFormElement>('entry');
const notes = byId<HTMLElement>('notes');
const list = byId<HTMLUListElement>('list');
const trouble = byId<HTMLParagraphElement>('trouble');
let following = new AbortController();
/** How often the notes were asked for: two words of a change may come close together, and their answers in any order. */
let asked = 0;

/** Does what a person asked for, and says so when it was refused. */
async function attempt(work: () => Promise<void>): Promise<void> {
  trouble.textContent = '';
  try {
    await work();
  } catch (error) {
    trouble.textContent = error instanceof Error ? error.message : String(error);
  }
  if (gateway.email === undefined) leave();
}

async function showNotes(): Promise<void> {
  asked += 1;
  const turn = asked;
  const rows = await gateway.request<Note[]>('GET', '/rest/v1/notes?select=id,body&order=created_at.desc,id');
  if (turn !== asked) return;
  list.replaceChildren(
    ...rows.map(({ id, body }) => {
      const item = document.createElement('li');
      const text = document.createElement('span');
      text.textContent = body;
      const remove = document.createElement('button');
      remove.textContent = 'Delete';
      remove.addEventListener('click', () => attempt(() => gateway.request('DELETE', `/rest/v1/notes?id=eq.${id}`)));
      item.append(text, remove);
      return item;
    }),
  );
}

/** Shows the notes of who is signed in, and shows them again with every word of a change. */
function enter(): void {
  entry.hidden = true;
  notes.hidden = false;
  byId('who').textContent = gateway.email!;
  following = new AbortController();
  const { signal } = following;
  void attempt(() => gateway.follow(['notes'], () => void attempt(showNotes), signal));
}

function leave(): void {
  following.abort();
  asked += 1;
  entry.hidden = false;
  notes.hidden = true;
  list.replaceChildren();
}

entry.addEventListener('submit', (event) => {
  event.preventDefault();
  const given = new FormData(entry);
  const email = String(given.get('email'));
  const password = String(given.get('password'));
  const signsUp = (event.submitter as HTMLButtonElement).value === 'sign-up';
  void attempt(async () => {
    await (signsUp ? gateway.signUp(email, password) : gateway.signIn(email, password));
    entry.reset();
    enter();
  });
});

byId('add').addEventListener('submit', (event) => {
  event.preventDefault();
  const form = event.target as HTMLFormElement;
  const body = String(new FormData(form).get('body'));
  void attempt(async () => {
    // The owner is filled in by the database, and the list is shown again when word of the change comes.
    await gateway.request('POST', '/rest/v1/notes', { body });
    form.reset();
  });
});

byId('sign-out').addEventListener('click', () => attempt(() => gateway.signOut()));

if (gateway.email !== undefined) enter();
else leave();
