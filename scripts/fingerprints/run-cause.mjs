// Runs one module as a function’s runtime would, and prints what it failed with.
const [file, values] = process.argv.slice(2);
const tell = (error) => {
  const { name, message, stack } = error instanceof Error ? error : { message: String(error) };
  process.stdout.write(`${JSON.stringify({ name, message, stack })}\n`, () => process.exit(0));
};
process.on('uncaughtException', tell);
try {
  const { handler } = await import(file);
  await handler(JSON.parse(values));
  process.stdout.write('{"message":"did not fail"}\n');
} catch (error) {
  tell(error);
}
