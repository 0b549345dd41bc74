import type { Cli } from './cli.ts';
import type { humanForms } from './human-forms.ts';

export type ValueType = 'string' | 'integer' | 'number' | 'boolean' | 'list' | 'json';

/** A flag, `--name value` or, for a boolean, `--name`. */
export interface Flag {
  /** Without its dashes. */
  readonly name: string;
  readonly type: ValueType;
  /** A sentence. */
  readonly about: string;
  /** How the value is called on the page. @default its choices, what its type looks like, or the end of the flag's name */
  readonly placeholder?: string;
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly required?: boolean;
}

/** An argument without a flag, in its place. */
export interface Positional {
  readonly name: string;
  readonly about: string;
  readonly optional?: true;
  /** Takes all words that are left, joined by blanks. */
  readonly rest?: true;
  readonly choices?: readonly string[];
  /** Taken only when the word looks so; otherwise the word is the next argument’s. */
  readonly only?: RegExp;
}

/** What a command was called with, checked. */
export interface Call {
  readonly cli: Cli;
  readonly positionals: Readonly<Record<string, string | undefined>>;
  readonly flags: Flags;
  /** Writes one JSON document of a stream. */
  readonly line: (document: unknown) => void;
  /** The code to exit with although the command succeeded. */
  readonly exitWith: (code: number) => void;
  /** Runs another command inside this process. @returns the document that it would write @throws Failure */
  readonly perform: (words: readonly string[]) => Promise<unknown>;
}

/** Values of flags by their names; a flag that was not given is undefined. */
export class Flags {
  readonly #given: Readonly<Record<string, unknown>>;

  constructor(given: Readonly<Record<string, unknown>>) {
    this.#given = given;
  }

  text(name: string): string | undefined {
    return this.#given[name] as string | undefined;
  }

  number(name: string): number | undefined {
    return this.#given[name] as number | undefined;
  }

  is(name: string): boolean {
    return this.#given[name] === true;
  }

  list(name: string): readonly string[] | undefined {
    return this.#given[name] as readonly string[] | undefined;
  }

  value(name: string): unknown {
    return this.#given[name];
  }
}

/** One command: what its page says, and what it does. */
export interface Command {
  /** For example `org member add`. */
  readonly words: string;
  /** One sentence. */
  readonly summary: string;
  /** Paragraphs below the summary. */
  readonly about?: readonly string[];
  readonly positionals?: readonly Positional[];
  readonly flags?: readonly Flag[];
  /** A sentence about each, and the words behind `svc`. */
  readonly examples: readonly (readonly [about: string, words: string])[];
  /** Exit codes besides 0 and 1, with what they mean. */
  readonly exits?: Readonly<Record<number, string>>;
  /** Operations of the gateway that it runs. */
  readonly operations?: readonly string[];
  /** Writes a line for each document rather than one document. */
  readonly streams?: true;
  /** The result for people; by default tables and names beside values. */
  readonly human?: keyof typeof humanForms;
  /** Columns of its tables for people, in their order. @default all that fit */
  readonly columns?: readonly string[];
  /** Told to people in place of an empty list, with the command that fills it. */
  readonly empty?: string;
  /** @returns the document for standard output; undefined when everything has been written */
  readonly run: (call: Call) => Promise<unknown>;
}

/** Commands that begin with the same word. */
export interface Group {
  readonly name: string;
  /** Paragraphs on the group's page. */
  readonly about: readonly string[];
  readonly commands: readonly Command[];
}
