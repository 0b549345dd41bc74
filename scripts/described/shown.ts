/** Names of the description, with the test that shows them. */
export interface Shown {
  /** The file of the test. */
  readonly test: string;
  /** The title of the test, or its beginning; left out where the file spells each of the names. */
  readonly says?: string;
  readonly names: readonly string[];
}

/** A name of the description that the program has not, with the reason. */
export interface Left {
  readonly name: string;
  readonly reason: string;
}

/** A kind of thing that the description names. */
export interface Kind {
  /** The heading of its table. */
  readonly title: string;
  /** One sentence about the names. */
  readonly about: string;
  readonly shown: readonly Shown[];
  readonly left: readonly Left[];
}
