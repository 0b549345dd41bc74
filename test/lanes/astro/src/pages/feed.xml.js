export const GET = () => new Response('<?xml version="1.0"?><feed/>');
