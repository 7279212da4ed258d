-- For wrk: sends the requests in a file, one JSON document on each line, again and again. After the URL come the
-- operation and the file.
local requests, at = {}, 0

function init(arguments)
  local headers = {
    ["Content-Type"] = "application/x-amz-json-1.0",
    ["X-Amz-Target"] = "DynamoDB_20120810." .. arguments[1],
    -- dynoxide wants a signature, and looks no further than that there is one.
    ["Authorization"] = "AWS4-HMAC-SHA256 Credential=any/20260101/us-east-1/dynamodb/aws4_request, "
      .. "SignedHeaders=host;x-amz-date, Signature=0",
    ["X-Amz-Date"] = "20260101T000000Z",
  }
  for body in io.lines(arguments[2]) do
    requests[#requests + 1] = wrk.format("POST", "/", headers, body)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end
