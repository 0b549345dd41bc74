/** A schema holds more of something than is read of any: the request is refused, and nothing is made of it. */
export class SchemaTooLargeError extends Error {
  override readonly name = 'SchemaTooLargeError';
  readonly of: string;
  readonly limit: number;

  constructor(of: string, limit: number) {
    super(`The project's schema has more than ${limit} ${of}.`);
    this.of = of;
    this.limit = limit;
  }
}
