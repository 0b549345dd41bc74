import { type Envelope, refusal } from './graph/envelope.ts';
import type { Link } from './graph/link.ts';
import { hasNewerBuild } from './newer-build.ts';
import { session } from './session/session.ts';
import { createStore } from './store.ts';

/** Whether files of this build are gone, since the gateway has another one. The document has to be loaded again then. */
export const isReplaced = createStore(false);

/** A failed load of code. It serves as an error of JavaScript and as a refusal that a page shows. */
export class CodeError extends Error implements Envelope {
  readonly code: string;
  readonly retryable = true;
  readonly nextActions = [];
  readonly traceId = undefined;
  readonly details = {};

  constructor({ code, message }: Envelope) {
    super(message);
    this.code = code;
  }
}

/** The code of a refusal that only a new load of the document mends. */
export const replacedCode = 'CONSOLE_UPGRADED';

const replaced = refusal(
  replacedCode,
  'The console was upgraded while this page was open, so a part of it cannot be loaded. Load the console again.',
);
const missing = refusal('CODE_MISSING', 'A part of the console could not be loaded. Try again.');

/** How long a load waits for the link to notice that the connection is lost, in milliseconds. */
const doubtMs = 1_000;

/**
 * Loads code that is not part of the first load. While the gateway is away, the load waits for it, as queries do. It does
 * not load the document again by itself, since the page may hold what was typed.
 *
 * @throws CodeError when the code cannot be loaded
 */
export async function loadCode<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch {
    await new Promise((resolve) => setTimeout(resolve, doubtMs));
    const current = session.get();
    if (current.state === 'in') await isOpen(current.link);
    return load().catch(async () => {
      if (!(await hasNewerBuild())) throw new CodeError(missing);
      isReplaced.set(true);
      throw new CodeError(replaced);
    });
  }
}

const isOpen = ({ state }: Link): Promise<void> =>
  new Promise((resolve) => {
    const look = () => {
      if (state.get() !== 'open') return;
      stop();
      resolve();
    };
    const stop = state.listen(look);
    look();
  });
