import { startSmtp } from './smtp-server.ts';

/** A mail that a server has said yes to. */
export interface TakenMail {
  readonly to: string;
  readonly messageId: string;
}

/** A real SMTP server that can leave a mail without an answer, as one does that its sender does not live to hear. */
export async function startHoldingSmtp() {
  const taken: TakenMail[] = [];
  let onHeld: (() => void) | undefined;
  const { port, stop } = await startSmtp({
    onData: async (stream, session, done) => {
      let raw = '';
      try {
        for await (const chunk of stream) raw += chunk;
      } catch {
        // Its sender was killed in the middle: it was not taken.
        return;
      }
      if (onHeld !== undefined) return onHeld();
      const messageId = /^Message-ID: (.+)\r$/im.exec(raw)![1]!;
      for (const { address } of session.envelope.rcptTo) taken.push({ to: address, messageId });
      done();
    },
  });
  return {
    port,
    stop,
    taken,
    /** From now on mail is read and not answered. @returns resolves when one is */
    hold: () =>
      new Promise<void>((resolve) => {
        onHeld = resolve;
      }),
    /** Mail is taken again; what was held stays without an answer. */
    takeAgain: () => {
      onHeld = undefined;
    },
  };
}
