/** Has messages told as events soon after they were sent. */
export interface MessageMirror {
  /** There is something to tell. Returns at once, and never throws. */
  readonly wake: () => void;
}

declare module '../../kernel/run/context.ts' {
  interface Services {
    /** Told of messages that the events tell of. */
    readonly messageMirror: MessageMirror;
  }
}
