import type { Cli } from './cli.ts';
import type { Failure } from './failure.ts';
import type { humanForms } from './human-forms.ts';

export type ValueType = 'string' | 'integer' | 'number' | 'boolean' | 'list' | 'json';

/** A flag, `--name value` or, for a boolean, `--name`. */
export interface Flag {
  /** Without its dashes. */
  readonly name: string;
  readonly type: ValueType;
  /** A sentence. */
  readonly about: string;
  /** Name of the value on the help page. @default its choices, a sample of its type, or the end of the flag's name */
  readonly placeholder?: string;
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly required?: boolean;
}

/** A positional argument. */
export interface Positional {
  readonly name: string;
  readonly about: string;
  readonly optional?: true;
  /** Takes all remaining words, joined by blanks. */
  readonly rest?: true;
  readonly choices?: readonly string[];
  /** Makes the refusal of a word that is none of the choices. @default it lists them */
  readonly refusal?: (word: string) => Failure;
  /** Used only for a word that matches; otherwise the word belongs to the next argument. */
  readonly only?: RegExp;
}

/** The checked arguments of a command. */
export interface Call {
  readonly cli: Cli;
  readonly positionals: Readonly<Record<string, string | undefined>>;
  readonly flags: Flags;
  /** Writes one JSON document of a stream. */
  readonly line: (document: unknown) => void;
  /** Sets the exit code of a command that succeeded. */
  readonly exitWith: (code: number) => void;
  /**
   * Runs another command in this process.
   *
   * @param input its standard input. @default that of this one
   * @returns the document that it would write
   * @throws Failure
   */
  readonly perform: (words: readonly string[], input?: string) => Promise<unknown>;
}

/** Values of flags by name; undefined for a flag that was not given. */
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

/** One command: its help page and its action. */
export interface Command {
  /** For example `org member add`. */
  readonly words: string;
  /** One sentence. */
  readonly summary: string;
  /** Paragraphs below the summary. */
  readonly about?: readonly string[];
  readonly positionals?: readonly Positional[];
  readonly flags?: readonly Flag[];
  /** A sentence about each, and the words after `svc`. */
  readonly examples: readonly (readonly [about: string, words: string])[];
  /** Meanings of exit codes other than 0 and 1. */
  readonly exits?: Readonly<Record<number, string>>;
  /** Operations of the gateway that it calls. */
  readonly operations?: readonly string[];
  /** Writes a line for each document instead of one document. */
  readonly streams?: true;
  /** The form of the result for people; by default tables and names beside values. */
  readonly human?: keyof typeof humanForms;
  /** Columns of its tables for people, in order. @default all that fit */
  readonly columns?: readonly string[];
  /** Shown to people in place of an empty list, with the command that fills it. */
  readonly empty?: string;
  /** @returns the document for standard output; undefined when the command has written everything */
  readonly run: (call: Call) => Promise<unknown>;
}

/** Commands with the same first word. */
export interface Group {
  readonly name: string;
  /** Paragraphs on the group's page. */
  readonly about: readonly string[];
  readonly commands: readonly Command[];
}
