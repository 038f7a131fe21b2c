/** What is needed to run the tests is missing here; the message says what to do. */
export class Unavailable extends Error {}
