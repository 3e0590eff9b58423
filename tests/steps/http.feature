@STEPS-G1.8 @scope:steps @owner:goalkeeper
Feature: A goal talks to a server and judges every answer
  Expect: requests and calls reach a server that the scenario started, and no part of an answer goes unjudged.
  Hook: a small server in Python on a socket in the sandbox, over HTTP and over lines

  Background:
    Given a file "app.py" with
      """
      import json, socketserver, sys, threading
      from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

      stock, lock = {"apples": 3}, threading.Lock()

      class App(BaseHTTPRequestHandler):
          def do_GET(self):
              pages = {"/health": (200, {"status": "ok"}), "/old": (301, {})}
              pages["/stock"] = (200, {"status": "counted", "stock": stock})
              self.reply(*pages.get(self.path, (404, {"error": "no such page"})))

          def do_POST(self):
              order = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
              with lock:
                  enough = stock.get(order["fruit"], 0) > 0
                  stock[order["fruit"]] = stock.get(order["fruit"], 0) - enough
              if self.headers.get("Authorization") != "Bearer 1234":
                  self.reply(401, {"error": "who are you?"})
              else:
                  self.reply(201 if enough else 409, {"left": stock[order["fruit"]]})

          def reply(self, status, document):
              body = json.dumps(document).encode()
              self.send_response(status)
              self.send_header("Location", "/health") if status == 301 else None
              self.send_header("Content-Type", "application/json")
              self.send_header("Content-Length", str(len(body)))
              self.end_headers()
              self.wfile.write(body)

          address_string = lambda self: "client"
          log_message = lambda *_: None

      class Lines(socketserver.StreamRequestHandler):
          def handle(self):
              for line in self.rfile:
                  call = json.loads(line)
                  found = {"health": {"result": {"status": "ok"}}, "add": {"result": sum(call.get("params", []))}}
                  missing = {"error": {"code": -32601, "message": "Method not found"}}
                  answer = {"jsonrpc": "2.0", "id": call["id"], **found.get(call["method"], missing)}
                  self.wfile.write(json.dumps(answer).encode() + b"\n")

      class Server(socketserver.ThreadingUnixStreamServer):
          request_queue_size = 50

      Server(sys.argv[1], App if sys.argv[2] == "http" else Lines).serve_forever()
      """
    And requests may take up to 30 s

  Rule: Requests

    Background:
      Given I run "sh -c 'python app.py app.sock http & echo $! > app.pid'"
      And the server is at "unix:app.sock"
      And "GET /health" answers with status 200 within 30 s

    Scenario: An answer in all its parts
      When I request "GET /stock"
      Then the status is 200
      And header "Content-Type" is "application/json"
      And there is no header "Set-Cookie"
      And the body contains "apples"
      And the JSON body has
        | status       | counted |
        | stock.apples | 3       |
      And the JSON body matches the schema
        """
        {"required": ["status"], "properties": {"stock": {"additionalProperties": {"type": "integer"}}}}
        """
      And the answer came within 30 s
      But the server never sends "Traceback"
      And the server never answers with a server error

    Scenario: A stranger is sent away, a friend is served
      When I request "POST /orders" with
        | header.Authorization | Bearer 4321          |
        | body                 | {"fruit": "bananas"} |
      Then the status is 401
      And the JSON body is
        """
        {"error": "who are you?"}
        """
      When I request "POST /orders" with
        | header.Authorization | Bearer 1234         |
        | body                 | {"fruit": "apples"} |
      Then the status is 201
      But the server never answers with status 500

    Scenario: More want an apple than there are apples
      Given request header "Authorization" is "Bearer 1234"
      When I request "POST /orders" 10 times at once
        """
        {"fruit": "apples"}
        """
      Then exactly 3 of the answers have status 201
      And exactly 7 of the answers have status 409
      And exactly 0 of the requests got no answer
      And "GET /stock" answers within 30 s with
        | stock.apples | 0 |
      But the server never sends "-1"
      And the server never leaves a request unanswered

    Scenario: A page that has moved
      When I request "GET /old"
      Then the status is 301
      When I request "GET /old" with
        | redirects | followed |
      Then the status is 200
      And the JSON body has
        | status | ok |
      But the server never answers with status 404

    Scenario: A server that dies
      When I request "GET /health"
      Then the status is 200
      When I run "sh -c 'kill -9 $(cat app.pid)'"
      Then "unix:app.sock" refuses connections within 30 s
      When I request "GET /health" and get no answer
      Then "unix:app.sock" refuses connections within 0 s
      But the server never answers with a server error

  Rule: Calls

    Background:
      Given I run "sh -c 'python app.py lines.sock lines &'"
      And "unix:lines.sock" accepts connections within 30 s

    Scenario: Results and errors
      When I call "add" at "unix:lines.sock" with
        """
        [1, 2, 3]
        """
      Then the result is
        """
        6
        """
      When I call "subtract" at "unix:lines.sock"
      Then the error code is -32601
      And the error message contains "not found"
      When I make these calls at "unix:lines.sock" at once
        | method |
        | health |
        | health |
        | divide |
      Then exactly 2 of the calls succeeded
      And exactly 1 of the calls failed with code -32601
      But the server never answers with error code -32700
      And the server never takes longer than 30 s to answer

    Scenario: A client that dies in the middle of a call
      When I send "{\"jsonrpc\"" to "unix:lines.sock" and hang up
      And I call "health" at "unix:lines.sock"
      Then the result has
        | status | ok |
      But the server never leaves a request unanswered
